"""`./x release` in short: it builds for an hour. Here is one of its files, how they are named, and what it says to words that it does not know."""

import re
import shutil
import subprocess
import tarfile
import unittest
from pathlib import Path

from support import PHP, ROOT, SystemTest


def pie_names(php, libc, threads, version="1.2.3", processor="x86_64"):
    """The names with .tgz that PIE looks for, the first one first (its class PrePackagedBinaryAssetName)."""
    start = f"php_leveret-{version}_php{php}-{processor}-linux-{libc}"
    return [f"{start}-zts.tgz"] if threads else [f"{start}.tgz", f"{start}-nts.tgz"]


def release(*words):
    # With LEVERET_NO_INSTALL nothing is installed should a word be taken that is refused today.
    return subprocess.run(
        ["./x", "release", *words], cwd=ROOT, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin", "LEVERET_NO_INSTALL": "1"}
    )


class Release(SystemTest):
    def test_names(self):
        """a release's files have the names that PIE looks for first, for each PHP, libc and kind of threads"""
        for kind, libc, threads in [("nts", "glibc", False), ("zts", "glibc", True), ("musl", "musl", False), ("musl-zts", "musl", True)]:
            for php in ("8.2", "8.6"):
                with self.subTest(php=php, kind=kind):
                    self.assertEqual(pie_names(php, libc, threads)[0], self.name(php, kind, "1.2.3"))
        self.assertEqual(pie_names("8.4", "glibc", False, processor="arm64")[0], self.name("8.4", "arm64", "1.2.3"))
        # PIE needs lower case.
        self.assertEqual(pie_names("8.2", "glibc", False, "1.0.0-rc1")[0], self.name("8.2", "nts", "1.0.0-RC1"))

    @staticmethod
    def name(php, kind, version):
        # This machine's own processor is not the matter here.
        script = 'uname() { echo x86_64; }; . scripts/release.sh; release_name "$@"'
        return subprocess.run(["bash", "-euc", script, "-", php, kind, version], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    def test_extension(self):
        """the extension of this machine's PHP as a release makes it: at work there, at the archive's root, with the notices of those whose code is in it"""
        short = "build/release-short"
        self.addCleanup(shutil.rmtree, ROOT / short, ignore_errors=True)
        script = """
            ROOT=$PWD
            for part in say install debian build versions release; do . scripts/$part.sh; done
            rm -rf "$1" && mkdir "$1" && scripts/crates.py notices "$1/THIRD-PARTY.txt" &&
                release_extension "$LEVERET_PHP" nts 1.2.3 "$1" 2>&1
        """
        done = subprocess.run(["bash", "-euc", script, "-", short], cwd=ROOT, capture_output=True, text=True, timeout=300)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("all there, and at work", done.stdout)
        (archive,) = (ROOT / short).glob("*.tgz")
        with tarfile.open(archive) as files:
            self.assertEqual(["leveret.so", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"], files.getnames())
            files.extractall(self.folder)
        notices = Path(self.folder, "THIRD-PARTY.txt").read_text()
        for owner in ("Copyright (c) The Rust Project Developers", "ring 0.17", "Copyright 2015-2025 Brian Smith.", "rustls-webpki 0."):
            self.assertIn(owner, notices)
        said = subprocess.run([PHP, "-n", "-d", f"extension={self.folder}/leveret.so", "--ri", "apcu"], capture_output=True, text=True, timeout=60)
        self.assertIn("leveret", said.stdout, said.stderr)

    def test_unknown_words(self):
        """./x release names what it takes when it is asked for a PHP or a kind that it does not know, and builds nothing"""
        for words in (["8.1"], ["8.2", "musl-nts"], ["8.2", ""], ["|"], ["8.2 8.4"]):
            with self.subTest(words=words):
                done = release(*words)
                self.assertEqual((1, ""), (done.returncode, done.stdout), done.stderr)
                self.assertIn(f"There is nothing to release for '{words[-1]}'.", done.stderr)
                for known in ("8.2 8.3 8.4 8.5 8.6", "nts zts musl musl-zts command sources arm64 arm64-command"):
                    self.assertIn(known, done.stderr)

    def test_composer(self):
        """composer.json names every kind of PHP for which a release has files"""
        said = (ROOT / "composer.json").read_text()
        for word in ("support-zts", "support-nts"):
            self.assertRegex(said, rf'"{re.escape(word)}": true')
        self.assertIn('"pre-packaged-binary"', said)


if __name__ == "__main__":
    unittest.main()
