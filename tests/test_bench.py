"""./x bench php in its quick form: it judges no time, but every answer; and what the benchmarks in Python and in Rust have in common."""

import json
import subprocess
import sys
import tempfile

from bench.harness import rounds
from support import PATIENCE, ROOT, SystemTest


class Bench(SystemTest):
    def test_quick(self):
        """The benchmark beside APCu runs every row, and no answer that it measured was wrong"""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            command = [sys.executable, "-B", "-m", "bench.php", "--quick", "--json", report.name]
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            self.assertGreaterEqual(len(json.load(report)["rows"]), 15)

    def test_cases(self):
        """Rounds in Python have the order, spreads, controls and verdicts that they have in the crate leveret-rounds"""
        cases = json.loads((ROOT / "crates" / "leveret-rounds" / "cases.json").read_text())
        for case in cases["orders"]:
            self.assertEqual(case["order"], rounds.order(range(case["sides"]), case["round"]), case)
        for case in cases["spreads"]:
            self.assertEqual(case["spread"], rounds.spread(case["values"]), case)
        for case in cases["controls"]:
            self.assertEqual(case["even"], rounds.is_even(case["control"]), case)
        for case in cases["verdicts"]:
            self.assertEqual(case["verdict"], rounds.verdict(case["ratio"], case["control"], **case["target"]), case)
