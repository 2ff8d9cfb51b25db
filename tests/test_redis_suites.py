"""The tests that Redis, php-redis and tair wrote for servers, on ours and beside them on redis-server, name by name.

Each name that redis-server passes must pass on ours, except those in redis_refused.txt, which must fail.
LEVERET_SUITES=long runs php-redis' tests of sessions too, which wait for a minute. LEVERET_CTS names the folder of tair's suite.
"""

import json
import os
import unittest
from pathlib import Path

import redis_suites
from redis_servers import RedisServer
from support import EXTENSION, PATIENCE, SystemTest

LONG = os.environ.get("LEVERET_SUITES") == "long"
CTS = os.environ.get("LEVERET_CTS")
MISSING = f"{redis_suites.SUITES} is missing: ./x test fetches it"


class Suites(SystemTest):
    def compare(self, suite, start, read, least, refused=None):
        """`start(server)` runs the suite, `read` its output. `least`: tests that must pass on ours. `refused`: names that need not."""
        servers = {kind: RedisServer(self, kind) for kind in ("redis", "leveret")}
        running = {kind: start(server) for kind, server in servers.items()}
        for process in running.values():
            self.addCleanup(redis_suites.stop, process)
        said = {kind: process.communicate(timeout=4 * PATIENCE)[0] for kind, process in running.items()}
        theirs, ours = (read(said[kind]) for kind in ("redis", "leveret"))
        self.remark(f"{len(ours.passed())} pass on ours, {len(theirs.passed())} on redis-server, of {len(theirs.verdicts)}")
        names = refused(servers["leveret"]) & set(theirs.verdicts) if refused else redis_suites.refused(suite)[0]
        wrong = redis_suites.judge(theirs, ours, names)
        self.assertEqual([], wrong, "\n".join([*wrong, *said["leveret"].splitlines()[-20:]]))
        self.assertGreaterEqual(len(ours.passed()), least)


@unittest.skipUnless(redis_suites.REDIS.exists(), MISSING)
class Tcl(Suites):
    """A server of its own for each unit, since a unit leaves settings behind."""

    def unit(self, name, least):
        suite = f"tcl {name}"
        left_out = redis_suites.refused(suite)[1]
        self.compare(suite, lambda server: redis_suites.start_tcl(name, server, left_out), redis_suites.tcl_run, least)

    def test_string(self):
        """Redis' own tests of strings pass on `leveret serve`"""
        self.unit("type/string", 67)

    def test_incr(self):
        """Redis' own tests of counters pass on `leveret serve`"""
        self.unit("type/incr", 21)

    def test_expire(self):
        """Redis' own tests of expiry pass on `leveret serve`"""
        self.unit("expire", 53)

    def test_keyspace(self):
        """Redis' own tests of keys and databases pass on `leveret serve`"""
        self.unit("keyspace", 42)

    def test_scan(self):
        """Redis' own tests of SCAN pass on `leveret serve`"""
        self.unit("scan", 5)

    def test_multi(self):
        """Redis' own tests of transactions pass on `leveret serve`"""
        self.unit("multi", 24)

    def test_protocol(self):
        """Redis' own tests of the protocol pass on `leveret serve`"""
        self.unit("protocol", 15)

    def test_quit(self):
        """Redis' own tests of QUIT pass on `leveret serve`"""
        self.unit("quit", 3)


@unittest.skipUnless((redis_suites.PHP_REDIS / "modules" / "redis.so").exists(), MISSING)
class PhpRedis(Suites):
    def test_class(self):
        """php-redis' own tests of the class Redis pass on `leveret serve`, in the original extension"""
        pattern = "" if LONG else r"^test(?!Session_)"
        self.compare("php Redis", lambda server: redis_suites.start_php(server, pattern, self.folder), redis_suites.json_run, 98 if LONG else 76)


    def test_our_class(self):
        """php-redis' own tests of the class Redis pass in ours on redis-server, but for formats that are not built in"""
        self.compare_classes(r"^test(?!Session_|CompressionZSTD)", 190)

    def test_our_sessions(self):
        """php-redis' own tests of sessions pass in ours on redis-server"""
        self.compare_classes(r"^testSession_", 20)

    def compare_classes(self, pattern, least):
        servers = [RedisServer(self, "redis") for _ in range(2)]
        running = [redis_suites.start_php(servers[0], pattern, self.folder), redis_suites.start_php(servers[1], pattern, self.folder, EXTENSION)]
        for process in running:
            self.addCleanup(redis_suites.stop, process)
        said = [process.communicate(timeout=4 * PATIENCE)[0] for process in running]
        theirs, ours = (redis_suites.json_run(words) for words in said)
        self.remark(f"{len(ours.passed())} pass in ours, {len(theirs.passed())} in the original, of {len(theirs.verdicts)}")
        wrong = redis_suites.judge(theirs, ours, set())
        self.assertEqual([], wrong, "\n".join([*wrong, *said[1].splitlines()[-20:]]))
        self.assertGreaterEqual(len(ours.passed()), least)


@unittest.skipUnless(CTS, "LEVERET_CTS names no folder with tair's compatibility-test-suite-for-redis")
class Cts(Suites):
    def test_cases(self):
        """tair's cases whose commands are served pass on `leveret serve`: strings, keys, bits, LCS, transactions, administration"""
        self.compare("cts", lambda server: redis_suites.start_cts(server, Path(CTS)), redis_suites.cts_run, 86, self.refused)

    def refused(self, server):
        """The cases with a command that COMMAND does not list. There are hundreds of them, so that only the others are named one by one."""
        served = {name.decode().lower() for name in server.connect()("COMMAND", "LIST")}
        cases = json.loads((Path(CTS) / "cts.json").read_text())
        not_served = {case["name"] for case in cases if not {words.split()[0].lower() for words in case["command"]} <= served}
        run_here = {case["name"] for case in cases if "skipped" not in case and case.get("tags") != "cluster" and case["since"] <= redis_suites.CTS_VERSION}
        return (not_served & run_here) | redis_suites.refused("cts")[0]


if __name__ == "__main__":
    unittest.main()
