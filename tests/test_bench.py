"""./x bench php in its quick form: it judges no time, but every answer."""

import json
import subprocess
import tempfile

from support import PATIENCE, ROOT, SystemTest


class Bench(SystemTest):
    def test_quick(self):
        """The benchmark beside APCu runs every row, and no answer that it measured was wrong"""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            command = ["bench/php/run", "--quick", "--json", report.name]
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            self.assertGreaterEqual(len(json.load(report)["rows"]), 15)
