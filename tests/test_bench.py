"""`./x bench php`, `client`, `ruby` and `eviction` in their quick form: they judge no time, but every answer."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from support import COMMAND, EXTENSION, PATIENCE, PHP, ROOT, SystemTest

SUITES = ROOT / "crates" / "leveret-bench" / "suites"


class Suites(SystemTest):
    def suite(self, folder, *words, ends=0, **environment):
        command = [COMMAND, "bench", "--suite", folder, "--php", PHP, "--extension", EXTENSION, "--gem", f"{ROOT}/ruby/lib:{ROOT}/build/ruby/lib", *words]
        done = subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual(ends, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def quick(self, name, *words, **environment):
        """The report of a quick run; no row without its figures, and none with a wrong answer."""
        folder = SUITES / name
        report = json.loads(self.suite(folder, "--quick", "--json", *words, **environment))
        rows = tomllib.loads((folder / "suite.toml").read_text())["row"]
        chosen = [row["name"] for row in rows if not words or any(word in row["name"] for word in words)]
        measured = [chart["name"] for chart in report["charts"]]
        self.assertEqual(chosen, [name for name in measured if name in chosen], "a chart for each row, in their order")
        for chart in report["charts"]:
            self.assertTrue(chart["lines"], chart)
            for line in chart["lines"]:
                self.assertEqual((0, True), (line["wrong"], line["verdict"] != "not measured"), chart)
            for row in chart["rows"]:
                if row["ours"]:
                    self.assertEqual((None, True), (row["failed"], row["figure"] is not None), row)
                    self.assertEqual(row["asked"], row["verified"], row)
        return report

    def test_php(self):
        """The benchmark beside APCu runs every row, and no answer that it measured was wrong"""
        report = self.quick("apcu")
        self.assertEqual(32, len(report["charts"]))
        for chart in report["charts"]:
            ours, = (row for row in chart["rows"] if row["ours"])
            self.assertIn(" -n ", ours["command"])
            for row in chart["rows"]:
                loaded = [word for word in row["command"].split() if word.startswith("extension=")]
                self.assertEqual([f"extension={EXTENSION}"] if row["ours"] else ["extension=apcu"], loaded)
        charts = {chart["name"]: chart for chart in report["charts"]}
        for name in ("hot", "store", "full"):
            line, = charts[name]["lines"]
            self.assertEqual(("apcu", "leveret"), (line["peer"], line["ours"]))
            self.assertTrue(line["control"] and line["ratio"], line)
        # What only ours is judged by has no ratio.
        for name in ("two-readers", "beside-writer", "bytes", "attach", "faults", "private"):
            line, = charts[name]["lines"]
            self.assertEqual((None, True), (line["ratio"], line["verdict"] is not None), line)
        self.assertTrue(charts["two-readers"]["lines"][0]["control"])
        self.assertLess(charts["bytes"]["rows"][-1]["figure"]["median"], 32 << 20)
        self.assertTrue(any(part["name"] == "p99.99" for row in charts["full"]["rows"] for part in row["beside"]))

    def test_table(self):
        """A row is printed in words and compared with an older run; an unknown row is refused"""
        old = self.folder / "old.json"
        old.write_text(self.suite(SUITES / "apcu", "--quick", "--json", "fetch"))
        said = self.suite(SUITES / "apcu", "--quick", "fetch", "--compare", old, "--csv", self.folder / "rows.csv", "--html", self.folder / "rows.html")
        self.assertRegex(said, r"\nrow +peer +ours +ratio +control +target +verdict\n")
        self.assertRegex(said, r"\nfetch of 50 keys, per key +\d+ ns +\d+ ns +[\d.]+ \[[\d.]+ \.\. [\d.]+\] +[\d.]+ .* <= 1\.000 +verified\n")
        self.assertIn("Its figures say nothing", said)
        self.assertIn("fetch50,leveret,1,", (self.folder / "rows.csv").read_text())
        self.assertIn("fetch of 50 keys, per key", (self.folder / "rows.html").read_text())
        self.assertIn("fetch of 50 keys", self.suite(SUITES / "apcu", "--list"))
        self.suite(SUITES / "apcu", "--quick", "no-such-row", ends=2)
        self.suite(self.folder, "--quick", ends=3)

    def planted(self, name, change):
        """A copy of a suite whose program returns wrong answers."""
        folder = self.folder / name
        shutil.copytree(SUITES / "apcu", folder)
        program = folder / "provider.php"
        program.write_text(program.read_text() + change)
        return folder

    def test_lies(self):
        """A side that answers wrongly, dies, hangs or is silent has no figure but the reason"""
        for name, change, word in (
            ("wrong", "if ($argv[1] === 'leveret') { $GLOBALS['lie'] = true; }", None),
            ("dying", "if ($argv[1] === 'leveret') { fwrite(STDERR, 'it cannot'); exit(3); }", "it cannot"),
            ("hanging", "if ($argv[1] === 'leveret') { sleep(3600); }", "hung: no answer after 2 s"),
            ("babbling", "if ($argv[1] === 'leveret') { echo \"no JSON\\n\"; sleep(3600); }", "its answer is not understood"),
        ):
            folder = self.planted(name, change)
            if word is None:
                # One value of a batch is another one.
                program = folder / "workloads.php"
                text = program.read_text()
                self.assertIn("$out[$i] = apcu_fetch($keys);", text)
                program.write_text(text.replace("$out[$i] = apcu_fetch($keys);", "$out[$i] = isset($GLOBALS['lie']) && $i === 3 ? [] : apcu_fetch($keys);"))
                said = self.suite(folder, "--quick", "fetch50", ends=1)
                self.assertRegex(said, r"\d+ WRONG")
                continue
            said = self.suite(folder, "--quick", "fetch50", "--patience", "2s", ends=1)
            self.assertIn("not measured", said)
            self.assertIn(word, said)
        # A peer's wrong answer is reported, and no side is compared with it.
        folder = self.planted("peer", "if ($argv[1] === 'apcu') { exit(3); }")
        self.assertIn("not measured", self.suite(folder, "--quick", "fetch50", ends=1))

    def test_provider(self):
        """PHP that has loaded another extension than ours measures nothing"""
        other = Path(subprocess.run([PHP, "-n", "-r", "echo ini_get('extension_dir');"], capture_output=True, text=True, check=True).stdout) / "apcu.so"
        done = subprocess.run([COMMAND, "bench", "--suite", SUITES / "apcu", "--php", PHP, "--extension", other, "--quick", "fetch"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(1, done.returncode, done.stdout)
        self.assertIn("the extension leveret is not loaded", done.stdout)

    def test_client(self):
        """The benchmark beside php-memcached and php-memcache runs every row, those under callgrind too where there is valgrind"""
        report = self.quick("clients", *(() if shutil.which("valgrind") else ("set50", "get50", "delete", "cpu", "udp", "connect")))
        charts = {chart["name"]: chart for chart in report["charts"]}
        self.assertEqual({"memcache", "memcached", "leveret", "memcached-control"}, {row["name"] for row in charts["get50"]["rows"]})
        self.assertEqual(4, len(charts["get50-four"]["rows"][0]["server"].splitlines()))
        udp = {row["name"]: row for row in charts["udp"]["rows"]}
        self.assertLess(udp["memcached"]["verified"], udp["memcached"]["asked"], "libmemcached does not read by UDP")
        self.assertEqual("memcache", charts["udp"]["lines"][0]["peer"])
        if "get-instr" in charts:
            self.assertEqual("count", charts["get-instr"]["unit"])
            self.assertGreater(charts["get-instr"]["lines"][0]["ratio"]["median"], 0.1)

    def test_ruby(self):
        """The benchmark beside Dalli runs every row: a line each of time and of processor time for all of ours"""
        asked = subprocess.run(["ruby", "-e", "require 'dalli'; require 'active_support'"], stdin=subprocess.DEVNULL, capture_output=True)
        if asked.returncode:
            self.skipTest("Ruby has no Dalli or no ActiveSupport")
        report = self.quick("ruby")
        charts = {chart["name"]: chart for chart in report["charts"]}
        for name in ("get_plain", "get_plain-cpu"):
            self.assertEqual(6, len(charts[name]["lines"]))
        self.assertEqual(4, len(charts["rails_read"]["lines"]))
        self.assertEqual("times", charts["two get_plain"]["unit"])

    def test_eviction(self):
        """Servers with the same memory miss a part of the gets, and each item costs them something; a stream of a file is sent as it is"""
        trace = self.folder / "stream.csv"
        lines = [f"{number},k{number % 900},20,{1000 + number % 77},{'set' if number % 10 == 0 else 'get'},0" for number in range(3000)]
        trace.write_text("\n".join(["time,key,key_size,size,op,ttl", *lines]) + "\n")
        report = self.quick("eviction", LEVERET_TRACE=str(trace))
        for chart in report["charts"]:
            for row in chart["rows"]:
                self.assertGreater(row["figure"]["median"], 0, row)
                self.assertGreater(row["verified"], 0, row)
                if chart["unit"] == "percent":
                    self.assertLess(row["figure"]["median"], 100, row)
                if chart["name"] == "trace":
                    # Of 900 keys every tenth is only stored; the others miss once in three gets.
                    self.assertAlmostEqual(30, row["figure"]["median"], msg=row)
        # Without a stream there is none to send.
        self.assertIn("there is no stream", self.suite(SUITES / "eviction", "--quick", "trace", ends=1, LEVERET_TRACE="/nowhere"))

    def test_published(self):
        """The published script and its pages run word for word with the originals and with ours, and show the same values"""
        report = self.quick("published")
        self.assertEqual(6, len(report["charts"]))
        for chart in report["charts"]:
            self.assertEqual([None] * 3, [row["failed"] for row in chart["rows"]], chart)

    def test_names(self):
        """`./x bench NAME` has a suite for each name in its help"""
        told = subprocess.run([ROOT / "x", "help"], capture_output=True, text=True, check=True).stdout
        folders = {folder.name for folder in SUITES.iterdir()}
        scripts = "".join(path.read_text() for path in (ROOT / "scripts").glob("*.sh"))
        used = set(re.findall(r"^\s*bench_suite (\w+)|^\s*bench_load (\w+)", scripts, re.M))
        self.assertEqual(folders, {first or second for first, second in used})
        for name in ("php", "client", "ruby", "pages", "server", "redis", "published", "eviction", "engine", "charts"):
            self.assertRegex(told, rf"\b{name}: ")
