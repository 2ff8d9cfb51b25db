"""./x bench server in its quick form: it judges no time, but every answer."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from support import COMMAND, PATIENCE, ROOT, SystemTest

LIAR = Path(__file__).resolve().parent / "lying_server.py"
ROWS = {"server": 21, "redis": 8}


class BenchServer(SystemTest):
    @classmethod
    def setUpClass(cls):
        # The development profile: in a quick run nobody looks at the speed, and the tests in Rust have built most of it.
        subprocess.run(["cargo", "build", "--quiet", "--locked", "-p", "leveret-bench"], cwd=ROOT, stdin=subprocess.DEVNULL, check=True)

    def test_quick(self):
        """The benchmark beside memcached runs every row over TCP, Unix sockets and UDP, and no answer that it measured was wrong"""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            self.check_quick("server", report.name)

    def test_quick_redis(self):
        """The benchmark beside Redis runs every row, and no answer that it measured was wrong"""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            self.check_quick("redis", report.name)

    def check_quick(self, verb, report):
        done = self.bench("--quick", "--ours", COMMAND, "--json", report, verb=verb)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        rows = json.loads(Path(report).read_text())["rows"]
        self.assertEqual(ROWS[verb], len(rows))
        for row in rows:
            self.assertIsNotNone(row["ratio"], row)
        self.assertEqual([], list(self.arenas.iterdir()), "it left something behind")

    def test_lie(self):
        """A server that answers one wrong byte makes the benchmark fail, and it says which"""
        done = self.bench("--quick", "--ours", LIAR, "get-unix")
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("WRONG", done.stdout)
        self.assertIn("ours: expected", done.stdout)
        self.assertEqual([], list(self.arenas.iterdir()), "it left something behind")

    def bench(self, *words, verb="server"):
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        command = [str(ROOT / target / "debug" / "leveret-bench"), verb, "--dir", str(self.arenas), *map(str, words)]
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
