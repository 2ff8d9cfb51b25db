"""packaging/: the units, the user and the folder, as systemd's own tools read them; and debian/: this machine's packages, built in short."""

import gzip
import os
import re
import shutil
import subprocess
import unittest

from packages_here import packages_here
from servers import tool
from support import COMMAND, EXTENSION, LIBRARY, PHP, PHP_VERSION, ROOT, SystemTest

PACKAGING = ROOT / "packaging"


class Packaging(SystemTest):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "this machine has no systemd")
    def test_units(self):
        """systemd finds nothing wrong with the units"""
        for name in ("leveret.service", "leveret@.service"):
            unit = self.folder / name.replace("@", "@11212")
            text = (PACKAGING / "systemd" / name).read_text()
            unit.write_text(text.replace("/usr/bin/leveret", str(COMMAND)))
            done = tool("systemd-analyze", "verify", "--man=no", unit)
            said = [line for line in done.stderr.splitlines() if unit.name in line]
            self.assertEqual([], said)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "this machine has no systemd")
    def test_exposure(self):
        """by systemd's own score the services can do little beside their work"""
        for name in ("leveret.service", "leveret@.service"):
            done = tool("systemd-analyze", "security", "--offline=yes", PACKAGING / "systemd" / name)
            self.assertLessEqual(float(re.search(r"exposure level for \S+ ([\d.]+)", done.stdout)[1]), 2.0, done.stdout)

    @unittest.skipUnless(shutil.which("systemd-tmpfiles"), "this machine has no systemd")
    def test_user_and_folder(self):
        """the user is made, and the folder of arenas belongs to its group, which new files inherit"""
        root = self.folder / "root"
        (root / "etc").mkdir(parents=True)
        (root / "dev" / "shm").mkdir(parents=True)
        for name in ("passwd", "group", "shadow", "gshadow"):
            (root / "etc" / name).write_text("")
        made = tool("systemd-sysusers", f"--root={root}", PACKAGING / "sysusers.d" / "leveret.conf")
        self.assertEqual(0, made.returncode, made.stderr)
        self.assertIn("leveret:", (root / "etc" / "passwd").read_text())
        made = tool("systemd-tmpfiles", f"--root={root}", "--create", PACKAGING / "tmpfiles.d" / "leveret.conf")
        self.assertEqual(0, made.returncode, made.stderr)
        self.assertEqual(0o2770, (root / "dev" / "shm" / "leveret").stat().st_mode & 0o7777)

    def test_example_configuration(self):
        """the example configuration is one that the server takes"""
        done = tool(COMMAND, "serve", "--config", PACKAGING / "leveret.toml", "-V")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("memcached-compatible 1.6.45", done.stdout)

    def test_sizes(self):
        """without what debuggers want, which packages keep apart, the command takes 6.5 MB at most and the extension 3.1 MB, of which TLS has 1.3"""
        # The Rust of Debian 13 and of Ubuntu 26.04 makes more of the same.
        more = 1.1 if re.search(r" 1\.(85|93)\.", tool("rustc", "--version").stdout) else 1
        for file, bytes_max in ((COMMAND, 6_500_000 * more), (EXTENSION, 3_100_000 * more)):
            small = self.folder / file.name
            done = tool("strip", "--strip-unneeded", "-o", small, file)
            self.assertEqual(0, done.returncode, done.stderr)
            self.remark(f"{file.name}: {small.stat().st_size / 1e6:.2f} MB")
            self.assertLessEqual(small.stat().st_size, bytes_max)


class Built(SystemTest):
    """`./x package` builds in a Debian of its own, asks lintian, and installs. Here this machine builds by the same rules, and they are unpacked."""

    def test_built_here(self):
        """Debian's packages build from the command and the library of ./x build, and their programs share one arena"""
        root = self.packages_unpacked()
        environment = {
            "LD_LIBRARY_PATH": str(self.one(root, "usr/lib/*/libleveret.so.0.?").parent),
            "LEVERET_DIR": str(self.arenas),
            "PATH": f"{root}/usr/bin:{os.environ['PATH']}",
        }

        def said(*words):
            done = subprocess.run([*map(str, words)], env=os.environ | environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(0, done.returncode, f"{words}:\n{done.stdout}{done.stderr}")
            return done.stdout.strip()

        library = self.one(root, "usr/lib/*/libleveret.so")
        example = self.one(root, "usr/share/doc/libleveret-dev/examples/greeting.c")
        said("cc", "-Wall", "-Werror", example, f"-I{root}/usr/include", library, "-o", self.folder / "greeting")
        self.assertIn("hello from C, 12 bytes", said(self.folder / "greeting"))
        self.assertEqual("hello from C", said("leveret", "get", "greeting"))
        extension = self.one(root, "usr/lib/php/*/leveret.so")
        self.assertEqual("hello from C", said(PHP, "-n", "-d", f"extension={extension}", "-r", "echo (new Leveret\\Cache)->get('greeting');"))
        ruby = self.one(root, "usr/lib/*/ruby/vendor_ruby/*/leveret/leveret.so").parent.parent
        ruby_words = ("-I", f"{root}/usr/lib/ruby/vendor_ruby", "-I", ruby, "-r", "leveret")
        self.assertEqual("hello from C", said("ruby", *ruby_words, "-e", "print Leveret::Cache.new.get('greeting')"))
        for path in (
            "**/systemd/system/leveret.service",  # below lib, and since Debian 13 usr/lib
            "usr/lib/sysusers.d/leveret.conf",
            "usr/lib/tmpfiles.d/leveret.conf",
            "usr/share/man/man1/leveret-serve.1.gz",
            "usr/share/bash-completion/completions/leveret",
            "etc/php/*/mods-available/leveret.ini",
            "usr/lib/*/pkgconfig/leveret.pc",
        ):
            self.one(root, path)
        for package in ("leveret", "libleveret-dev", LIBRARY, f"php{PHP_VERSION}-leveret", "ruby-leveret"):
            with gzip.open(root / "usr/share/doc" / package / "THIRD-PARTY.txt.gz", "rt") as notices:
                self.assertIn("rustls-webpki 0.", notices.read())

    def packages_unpacked(self):
        root = self.folder / "root"
        packages = packages_here()
        for package in packages:
            self.assertEqual(0, tool("dpkg-deb", "-x", package, root).returncode, package)
        return root

    def one(self, root, pattern):
        found = list(root.glob(pattern))
        self.assertEqual(1, len(found), pattern)
        return found[0]


if __name__ == "__main__":
    unittest.main()
