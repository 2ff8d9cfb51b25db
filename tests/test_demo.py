"""./x demo in its quick form."""

import os
import re
import subprocess
from pathlib import Path

from support import PATIENCE, ROOT, SystemTest


class Demo(SystemTest):
    def test_quick(self):
        """The demo does the seeds' work with every value right, shows that all see the items, and leaves nothing behind"""
        environment = {**os.environ, "LEVERET_DEMO_PLACE": str(self.folder)}
        done = subprocess.run(["demo/run", "quick"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("WRONG", done.stdout)
        self.assertRegex(done.stdout, r"seed: job +apcu_\*: ours +APCu +files +Memcached: ours +php-memcached ")
        rows = re.findall(r"^(00[01]: .*?)  .* ([\d,]+) of ([\d,]+)$", done.stdout, re.MULTILINE)
        self.assertEqual(7, len(rows), done.stdout)
        for title, right, wanted in rows:
            self.assertEqual(wanted, right, title)
        # Of seed 004 each row has both sides' time: the demo ends where a value is wrong.
        self.assertEqual(6, len(re.findall(r"^004: .* [\d.]+ (?:s|us) +[\d.]+ (?:s|us) +[\d.]+x$", done.stdout, re.MULTILINE)), done.stdout)
        self.assertRegex(done.stdout, r"PHP process \d+ reads 5,004 of the 5,004 values right")
        self.assertIn("leveret verify", done.stdout)
        self.assertIn("Nothing is left running", done.stdout)
        self.assertEqual(set(), self.leftovers())

    def leftovers(self):
        """A demo's folders, and processes that use them."""
        folders = set(map(str, self.folder.glob("leveret-demo.*")))
        processes = set()
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                continue
            if f"{self.folder}/leveret-demo.".encode() in command:
                processes.add(f"process {entry}")
        return folders | processes
