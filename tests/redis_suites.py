"""Runs tests that others wrote against a server, and judges what failed by a file of names: redis_refused.txt."""

import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

from support import PHP, ROOT, SCRIPTS, Provider

SUITES = ROOT / "build" / "redis-suites"
REDIS = SUITES / "redis-7.0.15"
PHP_REDIS = SUITES / "php-redis-6.2.0"

# Its cases for newer ones are not run: the original is 7.0.
CTS_VERSION = "7.0.0"

# Without progress for this long, a reply is missing. No single test takes as long.
SILENCE_SECS = 60


def refused(suite):
    """The names below `[suite]` in redis_refused.txt; and of these, those that are not run."""
    names, left_out, here = set(), set(), False
    for line in (Path(__file__).parent / "redis_refused.txt").read_text().splitlines():
        if line.startswith("[") and line.endswith("]"):
            here = line[1:-1] == suite
        elif line.startswith("! ") and here:
            left_out.add(line[2:])
        elif line and here and not line.startswith("# "):
            names.add(line)
    return names, left_out


class Run:
    """What came of a suite's tests: for each name `ok`, `skip` or what went wrong. A name that comes again is counted on: `name (2)`."""

    def __init__(self):
        self.verdicts = {}
        self.seen = collections.Counter()

    def add(self, name, verdict):
        self.seen[name] += 1
        self.verdicts[name if self.seen[name] == 1 else f"{name} ({self.seen[name]})"] = verdict

    def passed(self):
        return {name for name, verdict in self.verdicts.items() if verdict == "ok"}

    def failed(self):
        return {name: verdict for name, verdict in self.verdicts.items() if verdict not in ("ok", "skip")}


def judge(theirs, ours, names):
    """The failures of our run, one a line, without tests that the original (`theirs`) fails too."""
    wrong = []
    for name in sorted(theirs.passed() | names):
        verdict = ours.verdicts.get(name, "did not run")
        if name in names and name not in theirs.verdicts:
            wrong.append(f"{name}: in redis_refused.txt, and the suite has no such test")
        elif name in names and verdict == "ok":
            wrong.append(f"{name}: in redis_refused.txt, and passes")
        elif name not in names and verdict != "ok":
            wrong.append(f"{name}: {verdict}")
    return wrong


def start_tcl(unit, server, left_out):
    """One unit of Redis' own tests in external mode, without those of these names. Its two processes meet at a port below the base, and want 10,000 more to be free too."""
    words = ["--host", "127.0.0.1", "--port", server.port, "--single", f"unit/{unit}", "--tags", "-needs:debug -slow -needs:repl"]
    words += ["--durable", "--dont-clean", "--clients", 1, "--baseport", random.randrange(21_000, 29_000), "--timeout", SILENCE_SECS]
    words += [word for name in sorted(left_out) for word in ("--skiptest", name)]
    return start(["tclsh", "tests/test_helper.tcl", *words], cwd=REDIS, env={**os.environ, "TERM": "dumb"})


def tcl_run(said):
    """`[ok]: NAME (3 ms)`, and `[err]: NAME in tests/unit/…` with the reason in the next line."""
    run = Run()
    lines = said.splitlines()
    for number, line in enumerate(lines):
        if match := re.fullmatch(r"\[ok\]: (.*) \(\d+ ms\)", line):
            run.add(match[1], "ok")
        elif match := re.fullmatch(r"\[err\]: (.*) in tests/unit/\S+", line):
            run.add(match[1], lines[number + 1] if number + 1 < len(lines) else "failed")
        elif match := re.fullmatch(r"\[(?:ignore|skip)\]: (.*?)(?:: .*)?", line):
            run.add(match[1], "skip")
    return run


def start_php(server, pattern, folder, extension=f"{PHP_REDIS}/modules/redis.so"):
    """The tests of the class Redis whose names match, in the original extension of that version or in another one."""
    settings = ["-n", "-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", f"extension={extension}", "-d", "leveret.provide=redis"]
    environment = {**os.environ, "TEST_PHP_EXECUTABLE": PHP, "TEST_PHP_ARGS": " ".join(settings)}
    return start([PHP, *settings, SCRIPTS / "redis_test.php", PHP_REDIS / "tests", server.port, pattern], cwd=folder, env=environment)


def json_run(said):
    """A line of JSON for each test: [name, verdict]."""
    run = Run()
    for line in said.splitlines():
        if line.startswith("["):
            run.add(*json.loads(line))
    return run


def start_cts(server, folder):
    """The cases of tair's compatibility suite, which is not ours to copy: LEVERET_CTS names its folder."""
    return start([sys.executable, "redis_compatibility_test.py", "--testfile", "cts.json", "--port", server.port, "--specific-version", CTS_VERSION,
                  "--show-failed"], cwd=folder)  # fmt: skip


def cts_run(said):
    reasons = dict(re.findall(r"^FailedTest\(name='(.*?)', reason=(.*)\)$", said, re.MULTILINE))
    run = Run()
    # Some have one name: it passes when all of them do.
    for name, verdict in sorted(re.findall(r"^test: (.*) (passed|failed)$", said, re.MULTILINE), reverse=True):
        run.verdicts[name] = "ok" if verdict == "passed" else reasons.get(name, "failed")
    return run


def start(command, **options):
    """In a process group of its own, for `stop`."""
    return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace", start_new_session=True, **options)  # fmt: skip


def stop(process):
    """All that a suite has started: a client of Redis' tests outlives its server."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended
    process.wait()
    process.stdout.close()


class SuitesProvider(Provider):
    """The original php-redis 6.2.0, which its own tests were fetched with. Debian 12's is older."""

    def with_ini(self, **more):
        return SuitesProvider(self.name, super().with_ini(**more).ini)

    def settings(self, extensions=()):
        library = PHP_REDIS / "modules" / "redis.so"
        return [f"extension={library}" if line == "extension=redis.so" else line for line in super().settings(("msgpack", *extensions))]


def original_class(**ini):
    return SuitesProvider("redis", {}).with_ini(**ini)
