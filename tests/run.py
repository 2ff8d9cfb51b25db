"""Runs the system tests: real PHP, php-fpm, nginx, files and signals. Needs `./x build` and nothing but Python's own library.

    python3 tests/run.py [WORD]     only the tests whose name contains WORD

Each test prints one line that says what a user relies on. The last line is "N passed, N failed, N skipped".
"""

import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout

HERE = Path(__file__).resolve().parent


class Printer(unittest.TestResult):
    """One line a test as soon as it has ended, in the manner of TAP, and the reason under it when it failed."""

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def addSuccess(self, test):
        self.line("ok", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.line("not ok", test, self.failures[-1][1])

    def addError(self, test, error):
        super().addError(test, error)
        self.line("not ok", test, self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("skip", test, reason)

    def line(self, verdict, test, detail=""):
        seconds = time.monotonic() - getattr(self, "started", time.monotonic())
        said = test.shortDescription() or str(test)
        print(f"{verdict} - {said}  [{test.id()}, {seconds:.1f} s]", flush=True)
        for text in [*getattr(test, "remarks", []), *shortened(detail)]:
            print(f"    {text}", flush=True)


def shortened(detail, lines_max=60):
    lines = detail.rstrip().splitlines()
    if len(lines) <= lines_max:
        return lines
    half = lines_max // 2
    return [*lines[:half], f"... {len(lines) - 2 * half} lines ...", *lines[-half:]]


def tests_of(suite):
    for item in suite:
        yield from tests_of(item) if isinstance(item, unittest.TestSuite) else [item]


def main():
    sys.path.insert(0, str(HERE))
    word = sys.argv[1].lower() if len(sys.argv) > 1 else ""
    found = tests_of(unittest.defaultTestLoader.discover(str(HERE)))
    chosen = [test for test in found if word in test.id().lower()]
    result = Printer()
    unittest.TestSuite(chosen).run(result)
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
