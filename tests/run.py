"""Runs the system tests: real PHP, php-fpm, nginx, files and signals. Needs `./x build` and nothing but Python's own library.

    python3 tests/run.py [WORD...]     only the tests whose name contains one of the words

Each test prints one line that says what a user relies on. The last line is "N passed, N failed, N skipped".

Classes of tests run side by side, each in a process of its own, whose lines are printed when it has ended; LEVERET_LANES says how many at a
time. One class alone, or LEVERET_LANES=1, runs in this process. A class, or its module, that says `ALONE = "why"` runs when all others have ended.
"""

import collections
import os
import re
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no __pycache__ in the checkout
os.environ.setdefault("LEVERET_KEEP_VERSION", "1")  # no ./x of a test links the command again for the version of a new commit

import lanes
from support import scratch_place

HERE = Path(__file__).resolve().parent

# Before the name of a class: only that one, in this process.
CLASS = "--class"

# unittest's class for a module that cannot be loaded.
UNLOADABLE = "unittest.loader._FailedTest"

COUNTS = "{} passed, {} failed, {} skipped"

# The classes that take longest, longest first: they begin first.
LONGEST = (
    "test_bench_command.BenchCommand", "test_packaging.Built", "test_mixed_fleets.MixedFleets", "test_instructions.Instructions",
    "test_doctor_fixes.DoctorFixes", "test_circle.Circle", "test_redis_suites.PhpRedis", "test_symfony.Symfony", "test_mod_php.ModPhp",
    "test_docs.Readme", "test_dead_servers.DeadServers", "test_redis_suites.Tcl", "test_release.Release", "test_install.Install",
    "test_host_in_use.HostInUse", "test_bench_server.BenchServer", "test_session_failures.SessionFailures", "test_sessions.Sessions",
    "test_memcached_places.MemcachedPlaces", "test_applications.Packages", "test_passwords.Passwords",
)


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


def run_here(tests):
    result = Printer()
    unittest.TestSuite(tests).run(result)
    return [result.count(verdict) for verdict in Printer.VERDICTS]


def run_in_lanes(classes, words):
    """Runs each class in its own process, in parallel, the longest first; then those that need the machine alone."""
    counts = [0] * len(Printer.VERDICTS)

    def ended(job):
        said, own = without_counts(job.said)
        print(said, end="")
        tests = len(classes[job.name])
        if sum(own) != tests or job.code != (1 if own[-1] else 0):
            own = [0, 0, tests]
            print(f"not ok - {job.name}: its process ended with {job.code}: all of its {tests} tests count as failed")
        counts[:] = map(sum, zip(counts, own))

    def jobs(names):
        first = sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
        return [lanes.Job(name, args=[sys.executable, "-u", __file__, CLASS, name, *words]) for name in first]

    # What cannot be loaded fails here, and no process could load it.
    counts[:] = run_here(classes.pop(UNLOADABLE, []))
    solitary = [name for name, tests in classes.items() if alone(tests)]
    with tempfile.TemporaryDirectory(prefix="leveret-run-", dir=scratch_place()) as shared:
        os.environ["LEVERET_RUN"] = shared
        lanes.run(jobs(classes.keys() - solitary), ended)
        lanes.run(jobs(solitary), ended, lanes=1)
    return counts


def alone(tests):
    """Why these want the machine for themselves, as their class or its module says in ALONE."""
    return getattr(tests[0], "ALONE", "") or getattr(sys.modules[type(tests[0]).__module__], "ALONE", "")


def without_counts(said):
    """A process's output without its last line, and the counts of that line in the order of VERDICTS."""
    before, _, last = said.rstrip("\n").rpartition("\n")
    found = re.fullmatch(COUNTS.format(r"(\d+)", r"(\d+)", r"(\d+)"), last)
    if not found:
        return said, (0, 0, 0)
    passed, failed, skipped = map(int, found.groups())
    return before + "\n" * bool(before), (passed, skipped, failed)


def main(words):
    sys.path.insert(0, str(HERE))
    loader = unittest.defaultTestLoader
    if words[:1] == [CLASS]:
        found, words = loader.loadTestsFromName(words[1]), words[2:]
    else:
        found = loader.discover(str(HERE))
    classes = collections.defaultdict(list)
    for test in tests_of(found):
        if not words or any(word.lower() in test.id().lower() for word in words):
            classes[test.id().rpartition(".")[0]].append(test)
    in_lanes = len(classes) > 1 and lanes.LANES > 1
    passed, skipped, failed = run_in_lanes(classes, words) if in_lanes else run_here(sum(classes.values(), []))
    print(COUNTS.format(passed, failed, skipped))
    return 1 if failed or not classes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
