"""packaging/: the units, the user and the folder, as systemd's own tools read them."""

import re
import shutil
import unittest

from servers import tool
from support import COMMAND, EXTENSION, ROOT, SystemTest

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
        """without what debuggers want, which packages keep apart, the command takes 6 MB at most and the extension 2.8 MB, of which TLS has 1.3"""
        # Debian 13's Rust makes more of the same.
        more = 1.1 if " 1.85." in tool("rustc", "--version").stdout else 1
        for file, bytes_max in ((COMMAND, 6_000_000 * more), (EXTENSION, 2_800_000 * more)):
            small = self.folder / file.name
            done = tool("strip", "--strip-unneeded", "-o", small, file)
            self.assertEqual(0, done.returncode, done.stderr)
            self.remark(f"{file.name}: {small.stat().st_size / 1e6:.2f} MB")
            self.assertLessEqual(small.stat().st_size, bytes_max)


if __name__ == "__main__":
    unittest.main()
