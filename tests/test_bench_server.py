"""`./x bench server` and `redis`, with its class, in their quick form: they judge no time, but every answer."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

from support import COMMAND, EXTENSION, PATIENCE, PHP, ROOT, SystemTest

LIAR = Path(__file__).resolve().parent / "lying_server.py"
SUITES = ROOT / "crates" / "leveret-bench" / "suites"
ROWS = {"server": 21, "redis": 8, "class": 11}


class BenchServer(SystemTest):
    @classmethod
    def setUpClass(cls):
        # The development profile: a quick run does not judge speed, and the Rust tests have built most of it.
        subprocess.run(["cargo", "build", "--quiet", "--locked", "-p", "leveret-bench"], cwd=ROOT, stdin=subprocess.DEVNULL, check=True)

    def test_quick(self):
        """The benchmark beside memcached runs every row over TCP, Unix sockets and UDP, and no answer that it measured was wrong"""
        charts = self.check_quick("server")
        for name in ("watched", "scraped"):
            self.assertIsNone(charts[name]["lines"][0]["ratio"], "it is held against itself")
        self.assertTrue(charts["get-tcp"]["lines"][0]["floor"], "a server without a cache is beside it")
        self.assertIsNone(charts["get-tls"]["lines"][0]["floor"])

    def test_quick_redis(self):
        """The benchmark beside Redis runs every row, and no answer that it measured was wrong"""
        self.check_quick("redis")

    def test_quick_class(self):
        """The benchmark of the class Redis runs every row, through the short cut and by socket, and no answer that it measured was wrong"""
        charts = self.check_quick("class")
        self.assertTrue(charts["get-cpu"]["lines"][0]["floor"], "a client that only sends and receives is beside it")

    def check_quick(self, suite):
        done = self.bench("--quick", "--json", suite=suite)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        rows = tomllib.loads((SUITES / suite / "suite.toml").read_text())["row"]
        self.assertEqual([row["name"] for row in rows], [chart["name"] for chart in report["charts"]])
        self.assertEqual(ROWS[suite], len(rows))
        for chart in report["charts"]:
            line, = chart["lines"]
            self.assertEqual((0, True), (line["wrong"], line["verdict"] != "not measured"), line)
            for row in chart["rows"]:
                self.assertEqual((None, True, row["asked"]), (row["failed"], row["figure"] is not None, row["verified"]), row)
                self.assertGreater(row["asked"], 0)
        return {chart["name"]: chart for chart in report["charts"]}

    def test_lie(self):
        """A server that answers one wrong byte makes the benchmark fail, and it says which"""
        liar = self.folder / "memcached"
        liar.write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {LIAR} "$@"\n')
        liar.chmod(0o755)
        done = self.bench("--quick", "get-unix", before=self.folder)
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("not measured", done.stdout)
        self.assertIn("memcached: ", done.stdout)
        self.assertIn("wrong answer: expected", done.stdout)

    def test_load(self):
        """A server that runs already can be given the load of a row"""
        memcached = self.start(["memcached", "-u", "root", "-s", str(self.folder / "socket")])
        self.wait_for("memcached", (self.folder / "socket").exists)
        command = [self.program(), "load", "get-tcp", f"unix:{self.folder}/socket", "--seconds", "0.1", "--suite", SUITES / "server"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"^\d+ requests a second; p50 \d+ us")
        self.assertIsNone(memcached.poll())

    def program(self):
        return ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug" / "leveret-bench"

    def bench(self, *words, suite="server", before=None):
        path = ":".join(filter(None, [before and str(before), str(self.program().parent), os.environ["PATH"]]))
        command = [str(COMMAND), "bench", "--suite", str(SUITES / suite), "--php", PHP, "--extension", str(EXTENSION), *map(str, words)]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
