"""Runs the system tests: real PHP, php-fpm, nginx, files and signals. Needs `./x build` and nothing but Python's own library.

    python3 tests/run.py [WORD]     only the tests whose name contains WORD

Each test prints one line that says what a user relies on. The last line is "N passed, N failed, N skipped".
"""

import os
import sys
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout
os.environ.setdefault("LEVERET_KEEP_VERSION", "1")  # no ./x of a test links the command again for the version of a new commit

HERE = Path(__file__).resolve().parent


class Printer(unittest.TestResult):
    """One line a test as soon as it has ended, in the manner of TAP, and the reason under it when it failed."""

    # A test with several of them, such as one whose subtests failed, counts once, by the worst.
    VERDICTS = ("ok", "skip", "not ok")

    def __init__(self):
        super().__init__()
        self.verdicts = {}

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

    def addSubTest(self, test, subtest, error):
        if error:
            self.addFailure(subtest, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("skip", test, reason)

    def line(self, verdict, test, detail=""):
        case = getattr(test, "test_case", test)
        before = self.verdicts.get(case.id(), "ok")
        self.verdicts[case.id()] = max(before, verdict, key=self.VERDICTS.index)
        seconds = time.monotonic() - getattr(self, "started", time.monotonic())
        said = test.shortDescription() or str(test)
        print(f"{verdict} - {said}  [{test.id()}, {seconds:.1f} s]", flush=True)
        for text in [*getattr(case, "remarks", []), *shortened(detail)]:
            print(f"    {text}", flush=True)

    def count(self, verdict):
        return list(self.verdicts.values()).count(verdict)


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
    sys.path[:0] = [str(HERE), str(HERE.parent)]  # of the latter: bench
    word = sys.argv[1].lower() if len(sys.argv) > 1 else ""
    found = tests_of(unittest.defaultTestLoader.discover(str(HERE)))
    chosen = [test for test in found if word in test.id().lower()]
    result = Printer()
    unittest.TestSuite(chosen).run(result)
    print(f"{result.count('ok')} passed, {result.count('not ok')} failed, {result.count('skip')} skipped")
    return 1 if result.count("not ok") or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
