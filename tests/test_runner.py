"""The runner of these tests: what it prints is what people and CI believe."""

import contextlib
import io
import unittest

from run import Printer


class Planted(unittest.TestCase):
    """Each ends in its own way; none is named as a test, so none is found as one."""

    def passes(self):
        pass

    def fails(self):
        self.fail("on purpose")

    def skips(self):
        self.skipTest("on purpose")

    def fails_in_parts(self):
        for part in range(3):
            with self.subTest(part=part):
                self.assertEqual(1, part)

    def passes_in_parts(self):
        for part in range(3):
            with self.subTest(part=part):
                self.assertLess(part, 3)

    def fails_and_cannot_clean_up(self):
        self.addCleanup(self.fail, "again")
        self.fail("on purpose")


class Runner(unittest.TestCase):
    def test_counts(self):
        """a test is counted once, however many of its parts failed, and each part that failed is told"""
        names = ["passes", "fails", "skips", "fails_in_parts", "passes_in_parts", "fails_and_cannot_clean_up"]
        printed, result = io.StringIO(), Printer()
        with contextlib.redirect_stdout(printed):
            unittest.TestSuite(map(Planted, names)).run(result)
        self.assertEqual((2, 3, 1), tuple(map(result.count, ("ok", "not ok", "skip"))), printed.getvalue())
        self.assertIn("(part=0)", printed.getvalue())
        self.assertIn("(part=2)", printed.getvalue())
        self.assertEqual(5, printed.getvalue().count("not ok - "))


if __name__ == "__main__":
    unittest.main()
