"""`leveret bench`: which answers it accepts, and what it leaves behind. No time is asserted."""

import csv
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from planted_caches import ARRAYS, MEMORIES, MISSING, NAMED, PAGES, PLANTED, READERS, TYPELESS, VIEWS
from support import COMMAND, EXTENSION, PATIENCE, PHP, ROOT, SystemTest

LIAR = Path(__file__).resolve().parent / "lying_server.py"
# 230 MB, so `./x test` does not install it; `./x bench pages` unpacks it.
MEDIAWIKIS = (Path("/usr/share/mediawiki"), ROOT / "build" / "mediawiki" / "usr" / "share" / "mediawiki")

# The charts, by their programs.
ONE_KEY = ("read", "write", "write-8k", "gets", "connect")
SITE = ("site",)
APPLICATION = ("pages",)
PROCESSES = ("store", "load", "types")
KINDS = ("string", "int", "float", "bool", "array", "object")
MULTI = ("multi-get", "multi-set")
ARRAY = ("arrays-first", "arrays-repeat")
SHARED = ("readers",)
SHARING = ("1", "2", "cpus", "1-writer", "2-writer", "cpus-writer")
MEMORY = ("memory",)
MISSES = ("misses",)
SERVERS = ("server-cpu", "latency")
RUBY = ("ruby-set", "ruby-get", "ruby-multiget", "ruby-missing", "ruby-mixed")


class BenchCommand(SystemTest):
    def command(self, *words):
        return [str(COMMAND), "bench", "--php", PHP, "--extension", str(EXTENSION), *map(str, words)]

    def bench(self, *words, ends=0, mediawiki=None):
        # Its pages take minutes with as many keys as the other charts have.
        environment = {**os.environ, "LEVERET_MEDIAWIKI": str(mediawiki or self.folder), "LEVERET_MEMCACHED_NEWER": "memcached"}
        done = subprocess.run(self.command(*words), env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(ends, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def test_rows(self):
        """Every cache of this host is measured in every chart; the page, the pictures and the table hold the same"""
        page, table, pictures, old = (self.folder / name for name in ("page.html", "table.csv", "pictures", "old.json"))
        words = ("--rounds", 1, "--keys", 200, "--html", page, "--csv", table, "--svg", pictures)
        old.write_text(self.bench(*words, "--json"))
        report = json.loads(old.read_text())
        charts = report["charts"]
        self.assertEqual([*ONE_KEY, *SITE, *APPLICATION, *PROCESSES, *MULTI, *ARRAY, *SHARED, *MEMORY, *MISSES, *SERVERS, *RUBY], [chart["name"] for chart in charts])
        of = lambda names: (chart for chart in charts if chart["name"] in names)
        shown = (report, report["machine"], *charts, *(row for chart in charts for row in chart["rows"]))
        promised = next(line for line in (ROOT / "docs" / "reference" / "command.md").read_text().splitlines() if line.startswith("| `bench` | "))
        self.assertEqual(set(promised.split("`")[3::2]), set().union(*shown), "docs/reference/command.md has the fields of --json")
        for chart in of(RUBY):
            rows = {row["name"]: row for row in chart["rows"]}
            for name in ("dalli-ruby", "dalli-noblock-ruby") if chart["name"] == "ruby-set" else ("dalli-ruby",):
                self.assertEqual((None, 200, 200), (rows[name]["failed"], rows[name]["asked"], rows[name]["verified"]), rows[name])
            published = [row for row in chart["rows"] if row["published"]]
            self.assertGreater(len(published), 1)
            self.assertEqual([None] * len(published), [row["figure"] for row in published], "nobody has verified them")
        for chart in of(MULTI):
            rows = {row["name"]: row for row in chart["rows"]}
            for row in (rows[f"{name}-{servers}"] for servers in range(1, 7) for name in (
                    "memcache-each", "memcache-multi", "memcached-each", "memcached-multi", "leveret-memcache-multi",
                    "leveret-memcache-udp", "leveret-memcached-multi", "leveret-memcached-noblock", "leveret-serve-multi")):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
                self.assertGreater(row["client_cpu"]["median"], 0, row)
                self.assertGreater(row["server_cpu"]["median"], 0, row)
            self.assertEqual(6, len(rows["memcached-each-6"]["server"].splitlines()), "as many servers as the row says")
        for chart in of(ARRAY):
            rows = {row["name"]: row for row in chart["rows"]}
            for row in (rows[f"{name}-{count}"] for count in (1, 10, 100, 1000) for name in (
                    "apcu-php", "apcu-igbinary", "apcu-default", "opcache", "leveret-apcu", "leveret-cache", "leveret-memcached")):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
                self.assertIsNone(row["client_cpu"], "comparing is in it, but not in the time")
        for chart in of(SHARED):
            rows = {row["name"]: row for row in chart["rows"]}
            for row in (rows[f"{name}-{shared}"] for name in ("apcu", "leveret-apcu", "leveret-cache") for shared in SHARING):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
            self.assertEqual(f"APCu, {max(4, report['machine']['cpus'])} readers", rows["apcu-cpus"]["title"])
        for chart in of(MEMORY):
            self.assertEqual("bytes", chart["unit"])
            for row in (row for row in chart["rows"] if row["name"] != "yac"):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
            self.assertIn("memory,redis,1,", table.read_text())
            self.assertIn(",bytes an item,200,200,", table.read_text())
            self.assertIn("bytes an item in each round", page.read_text())
        for chart in of(MISSES):
            self.assertEqual("percent", chart["unit"])
            for row in (row for row in chart["rows"] if not row["name"].startswith("yac")):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
        for chart in of(SERVERS):
            self.assertEqual(32 if chart["name"] == "server-cpu" else 24, len(chart["rows"]))
            for row in chart["rows"]:
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
                self.assertGreater(row["server_cpu"]["median"], 0, row)
        for chart in of(PROCESSES):
            for row in chart["rows"]:
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
        for chart in of(SITE):
            rows = {row["name"]: row for row in chart["rows"]}
            for row in (rows[f"{name}-{visitors}"] for visitors in (1, 50) for name in (
                    "empty", "files", "apcu", "memcached-unix", "leveret-apcu", "leveret-cache", "leveret-memcached",
                    "leveret-short-cut", "leveret-tcp", "leveret-unix")):
                self.assertEqual((None, 200, 200), (row["failed"], row["asked"], row["verified"]), row)
                self.assertGreater(row["client_cpu"]["median"], 0, row)
                parts = {part["name"]: part["figure"]["median"] for part in row["parts"]}
                self.assertEqual(["open", "get", "close"] if row["variant"] == "1 visitor" else [], list(parts))
                self.assertLess(sum(parts.values()), row["figure"]["median"], "the cache's part of a page")
            self.assertIn("0 of 200 values were right", rows["memcached-udp-50"]["failed"])
        for chart in of(APPLICATION):
            rows = {row["name"]: row for row in chart["rows"]}
            for name in ("none", "apcu", "memcached-tcp", "memcached-unix", "leveret-apcu", "leveret-memcached", "leveret-short-cut", "leveret-unix"):
                self.assertIn(f"there is no MediaWiki in {self.folder}", rows[name]["failed"])
        for chart in of(ONE_KEY):
            rows = {row["name"]: row for row in chart["rows"]}
            for name in ("files", "apcu", "memcached-unix", "leveret-apcu", "leveret-cache", "leveret-memcached",
                         "leveret-short-cut", "leveret-tcp", "leveret-unix"):
                self.assertEqual((None, 200, 200), (rows[name]["failed"], rows[name]["asked"], rows[name]["verified"]), rows[name])
            self.assertIn("0 of 200 values were right", rows["memcached-udp"]["failed"])
            self.assertIsNone(rows["memcached-udp"]["figure"])
            picture = ElementTree.parse(pictures / f"{chart['name']}.svg").getroot()
            self.assertEqual(chart["title"], picture.findtext("{*}title"))
            self.assertEqual(sum(row["figure"] is not None for row in chart["rows"]), len(picture.findall("{*}rect")))
            self.assertIn(chart["title"], page.read_text())
            self.assertIn(f"{chart['name']},leveret-apcu,1,", table.read_text())
        self.assertNotIn("http://", page.read_text().replace("http://www.w3.org/2000/svg", ""), "the page needs nothing else")
        shown = self.bench("read", "--rounds", 1, "--keys", 200, "--only", "files", "--compare", old)
        self.assertIn("200 verified", shown)
        drawn, text = self.folder / "drawn.html", self.folder / "drawn.md"
        again = self.bench("--from", old, "--html", drawn, "--markdown", text, "--svg", pictures, "--json")
        self.assertEqual((old.read_text(), page.read_text()), (again, drawn.read_text()), "--from draws what was measured")
        for chart in charts:
            self.assertIn(f"\n## {chart['name']}\n", text.read_text())
            self.assertIn(f"](pictures/{chart['name']}.svg)\n", text.read_text())
        ratio = r"[0-9.]+( \(unreliable\))?"
        self.assertRegex(text.read_text(), rf"\n\| \[site\]\(#site\) \| 1 visitor {ratio}; 50 visitors {ratio} \| [0-9.]+ \([0-9.]+ to [0-9.]+\) \|\n")
        self.assertIn("](pictures/rows.csv)\n", text.read_text())
        rows = list(csv.DictReader((pictures / "rows.csv").read_text().splitlines()))
        self.assertEqual([row["title"] for chart in charts for row in chart["rows"]], [row["cache"] for row in rows])
        self.assertRegex(next(row["parts"] for row in rows if row["cache"] == "Leveret, apcu_*, 1 visitor"), "open .* get .* all else ")
        self.bench("--from", old, "--markdown", text)
        self.assertRegex(text.read_text(), r"\n\| \[site\]\(#site\) \| 50 visitors \| [^|]+ \| Leveret, [^|]+: [0-9.]+ m?s \| [0-9.]+ (\(unreliable\) )?\|\n")
        self.assertRegex(text.read_text(), r"\n\| \*\*Leveret, apcu_\\\*, 1 visitor\*\* \| .* open .* get .* all else ")

    def test_planted_caches(self):
        """A cache that answers wrongly, dies or hangs has no figure but the reason, and the others have theirs"""
        planted = self.folder / "planted.toml"
        planted.write_text(PLANTED)
        words = ("read", "--only", "planted", "--only", "files", "--peers", planted, "--rounds", 1, "--keys", 50, "--patience", "3s")
        rows = {row["name"]: row for row in json.loads(self.bench(*words, "--json"))["charts"][0]["rows"]}
        self.assertEqual([50, None], [rows["files"]["verified"], rows["files"]["failed"]])
        for name, why in {"wrong": "49 of 50 values were right", "nothing": "0 of 50 values were right",
                          "forgetful": "0 of 50 values were right", "dying": "signal: 9", "hanging": "hung: no end after 3 s", "killed": "its server has ended in the middle, signal: 9",
                          "missing": "has no extension nobody_has_this"}.items():
            row = rows[f"planted-{name}"]
            self.assertIsNone(row["figure"], row)
            self.assertIn(why, row["failed"])

    def test_planted_in_charts_of_other_forms(self):
        """A cache that names a chart is compared in it: one with wrong answers for MemcachePool, and one for Ruby"""
        planted = self.folder / "planted.toml"
        planted.write_text(NAMED)
        words = ("multi-get", "ruby-get", "read", "--only", "planted", "--only", "files", "--peers", planted, "--rounds", 1, "--keys", 100)
        charts = {chart["name"]: chart["rows"] for chart in json.loads(self.bench(*words, "--json"))["charts"]}
        self.assertEqual(["files"], [row["name"] for row in charts.pop("read")])
        self.assertEqual({"multi-get": 6, "ruby-get": 2}, {name: sum(not row["published"] for row in rows) for name, rows in charts.items()})
        for row in (row for rows in charts.values() for row in rows if not row["published"]):
            self.assertIsNone(row["figure"], row)
            self.assertIn("99 of 100 values were right", row["failed"])

    def test_types(self):
        """A cache that returns values with another type has no figure, nor has one whose process dies"""
        planted = self.folder / "planted.toml"
        planted.write_text(TYPELESS)
        words = ("types", "--only", "planted", "--peers", planted, "--rounds", 1, "--keys", 60)
        rows = {row["name"]: row for row in json.loads(self.bench(*words, "--json"))["charts"][0]["rows"]}
        for kind in KINDS:
            honest, strings, dying = (rows[f"planted-{name}-{kind}"] for name in ("honest", "strings", "dying"))
            self.assertEqual([60, None], [honest["verified"], honest["failed"]])
            self.assertEqual(60 if kind == "string" else 0, strings["verified"])
            self.assertEqual(kind == "string", strings["failed"] is None, strings)
            self.assertIn("the process of 'store' ended with signal: 9", dying["failed"])

    def test_arrays(self):
        """One wrong array of many, in its last row or by the type of a number, leaves a cache without a figure"""
        planted = self.folder / "planted.toml"
        planted.write_text(ARRAYS)
        words = ("arrays-first", "arrays-repeat", "--only", "planted", "--peers", planted, "--rounds", 1, "--keys", 40)
        charts = {chart["name"]: {row["name"]: row for row in chart["rows"]}
                  for chart in json.loads(self.bench(*words, "--json"))["charts"]}
        for chart, rows in charts.items():
            for count in (1, 10, 100, 1000):
                honest = rows[f"planted-honest-{count}"]
                self.assertEqual([40, None], [honest["verified"], honest["failed"]])
                short = rows[f"planted-short-{count}"]
                self.assertEqual([39, None], [short["verified"], short["figure"]], short)
                self.assertIn("39 of 40 values were right", short["failed"])
                self.assertIn("of 40 values were right", rows[f"planted-json-{count}"]["failed"])
                # A process that has fetched nothing has no old value.
                failed = rows[f"planted-forgetful-{count}"]["failed"]
                self.assertEqual(chart == "arrays-repeat", "0 of 40 values were right" in str(failed), failed)

    def test_readers(self):
        """A value that was never written for its key is wrong, also during writes, and so is a refused store"""
        planted = self.folder / "planted.toml"
        planted.write_text(READERS)
        words = ("readers", "--only", "planted", "--peers", planted, "--rounds", 1, "--keys", 40)
        rows = {row["name"]: row for row in json.loads(self.bench(*words, "--json"))["charts"][0]["rows"]}
        for shared in SHARING:
            honest = rows[f"planted-honest-{shared}"]
            self.assertEqual([40, None], [honest["verified"], honest["failed"]])
            self.assertIn("39 of 40 values were right", rows[f"planted-other-{shared}"]["failed"])
            self.assertIn("0 of 40 values were right", rows[f"planted-forgetful-{shared}"]["failed"])
            refused = rows[f"planted-two-passes-{shared}"]["failed"]
            if shared.endswith("writer"):
                self.assertIn("a store was refused while others read", refused)
            else:
                self.assertIsNone(refused)

    def test_memory(self):
        """The figure is the memory of the host for an item; a cache that other processes cannot read has no figure"""
        planted = self.folder / "planted.toml"
        planted.write_text(MEMORIES)
        words = ("memory", "--peers", planted, "--rounds", 1, "--keys", 10_000)
        chart, = json.loads(self.bench(*words, "--json"))["charts"]
        rows = {row["name"]: row for row in chart["rows"]}
        for name in ("apcu", "memcached", "redis", "leveret-apcu", "leveret-cache", "leveret-serve"):
            self.assertEqual((None, 10_000), (rows[name]["failed"], rows[name]["verified"]))
            self.assertTrue(277 < rows[name]["figure"]["median"] < 4096, "more than key and value, less than a page")
        # All of Leveret's entrances are the same arena.
        ours = [rows[name]["figure"]["median"] for name in ("leveret-apcu", "leveret-cache", "leveret-serve")]
        self.assertLess(max(ours) / min(ours), 1.1)
        self.assertEqual(4096, round(rows["planted-files"]["figure"]["median"]), "a file takes a page of shared memory")
        for name in ("private", "nothing"):
            self.assertIn("0 of 10000 values were right", rows[f"planted-{name}"]["failed"])
        self.assertIn(" B ", self.bench("memory", "--only", "redis", "--rounds", 1, "--keys", 500))

    def test_misses(self):
        """A full cache misses, with right values where it does not; one that keeps old values, others' or none has no figure"""
        planted = self.folder / "planted.toml"
        planted.write_text(MISSING)
        words = ("misses", "--peers", planted, "--rounds", 1, "--keys", 20_000, "--json")
        chart, = json.loads(self.bench(*words))["charts"]
        rows = {row["name"]: row for row in chart["rows"]}
        for stream in ("steady", "scans", "shifting"):
            # A cache that keeps everything misses only keys asked for the first time.
            least = rows[f"planted-files-{stream}"]["figure"]["median"]
            for name in ("apcu", "memcached", "redis", "leveret-apcu", "leveret-cache", "leveret-serve"):
                row = rows[f"{name}-{stream}"]
                self.assertEqual((None, 20_000), (row["failed"], row["verified"]), row)
                self.assertTrue(least < row["figure"]["median"] < 100, (least, row))
            self.assertIn("of 20000 values were right", rows[f"planted-private-{stream}"]["failed"])
            self.assertIn("of 20000 values were right", rows[f"planted-other-{stream}"]["failed"])
            self.assertIn("0 of 20000 values were right; it never had anything", rows[f"planted-nothing-{stream}"]["failed"])
        quick = json.loads(self.bench("misses", "--only", "leveret-cache", "--quick", "--rounds", 1, "--json"))["charts"][0]
        self.assertEqual(["leveret-cache-steady", "leveret-cache-shifting"], [row["name"] for row in quick["rows"]])

    def test_site(self):
        """A page with a wrong value, one that dies and one that hangs leave a cache without a figure, and nginx and php-fpm end with each"""
        planted = self.folder / "planted.toml"
        planted.write_text(PAGES)
        words = ("site", "--only", "planted", "--only", "files", "--peers", planted, "--rounds", 1, "--keys", 40, "--patience", "3s")
        rows = {row["name"]: row for row in json.loads(self.bench(*words, "--json"))["charts"][0]["rows"]}
        for visitors in (1, 50):
            self.assertEqual((None, 40), (rows[f"files-{visitors}"]["failed"], rows[f"files-{visitors}"]["verified"]))
            self.assertIn("39 of 40 values were right", rows[f"planted-wrong-{visitors}"]["failed"])
            self.assertIn("0 of 40 values were right", rows[f"planted-old-{visitors}"]["failed"])
            self.assertIn("a page is HTTP/1.1 502", rows[f"planted-dying-{visitors}"]["failed"])
            self.assertIn("hung: no end after 3 s", rows[f"planted-hanging-{visitors}"]["failed"])
        self.assertIsNone(self.running_in("/dev/shm/leveret-bench-", least=1), "something is left running")

    def test_pages(self):
        """A wiki that shows an old article or another one, or has a cache that keeps nothing, has no figure; each kind of cache has one"""
        mediawiki = next((folder for folder in MEDIAWIKIS if (folder / "index.php").is_file()), None)
        modules = subprocess.run([PHP, "-n", "-r", "echo ini_get('extension_dir');"], capture_output=True, text=True, check=True).stdout
        if not mediawiki or not all((Path(modules) / f"{name}.so").exists() for name in ("intl", "pdo_sqlite")):
            self.skipTest("MediaWiki, or PHP's intl or sqlite3, is not installed")
        planted = self.folder / "planted.toml"
        planted.write_text(VIEWS)
        words = ("pages", "--rounds", 1, "--keys", 8, "--json")
        rows = {row["name"]: row for more in ((), ("--peers", planted, "--only", "planted"))
                for row in json.loads(self.bench(*words, *more, mediawiki=mediawiki))["charts"][0]["rows"]}
        for name in ("none", "apcu", "memcached-tcp", "memcached-unix", "leveret-apcu", "leveret-memcached", "leveret-short-cut", "leveret-unix",
                     "planted-honest"):
            self.assertEqual((None, 8, 8), (rows[name]["failed"], rows[name]["asked"], rows[name]["verified"]), rows[name])
            self.assertGreater(rows[name]["client_cpu"]["median"], 0)
        for name, why in {"old": "6 of 8 values were right; 2 pages are not those articles as they are now",
                          "other": "article 7 is wrong before anybody has edited it", "dying": "a page is HTTP/1.1 502",
                          "nothing": "does not find in its main cache", "private": "does not find in its main cache",
                          "forgetful": "parse", "general": 'its "open" sets no $wgMainCacheType'}.items():
            self.assertIsNone(rows[f"planted-{name}"]["figure"])
            self.assertIn(why, rows[f"planted-{name}"]["failed"])

    def test_servers(self):
        """A server with one wrong byte has no figure, and its answer is shown; another memcached has its own rows"""
        liar = self.folder / "memcached"
        liar.write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {LIAR} "$@"\n')
        liar.chmod(0o755)
        words = self.command("server-cpu", "latency", "--only", "unix", "--rounds", 1, "--keys", 200, "--memcached-newer", shutil.which("memcached"), "--json")
        done = subprocess.run(words, env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(0, done.returncode, done.stderr)
        for chart in json.loads(done.stdout)["charts"]:
            for row in chart["rows"]:
                if row["name"].startswith("memcached-unix"):
                    # Stores are compared when they are read back.
                    self.assertIsNone(row["figure"], row)
                    self.assertIn("wrong answer: expected", row["failed"])
                else:
                    self.assertEqual((None, 200), (row["failed"], row["verified"]), row)

    def test_no_room(self):
        """In a full /dev/shm caches that need it say so, and the others are measured"""
        words = self.command("write-8k", "--only", "files", "--only", "memcached-unix", "--only", "leveret-cache",
                             "--rounds", 1, "--keys", 1000, "--json")
        small = 'mount -t tmpfs -o size=2m none /dev/shm && "$@" && ls /dev/shm >&2'
        alone = ["unshare", "--user", "--map-root-user", "--mount"]
        tried = subprocess.run([*alone, "mount", "-t", "tmpfs", "none", "/dev/shm"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest(f"nobody may have a /dev/shm of his own here: {tried.stderr.strip()}")
        done = subprocess.run([*alone, "sh", "-c", small, "sh", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("leveret-bench", done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["charts"][0]["rows"]}
        self.assertEqual([1000, None], [rows["memcached-unix"]["verified"], rows["memcached-unix"]["failed"]])
        for name in ("files", "leveret-cache"):
            self.assertIsNone(rows[name]["figure"])
            self.assertTrue(rows[name]["failed"])

    def test_end_between_charts(self):
        """Ctrl-C in the second chart leaves the first, which is whole"""
        words = ("read", "write", "--only", "leveret-cache", "--rounds", 1, "--keys", 500_000, "--json")
        process = self.start(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        folder = Path("/dev/shm") / f"leveret-bench-{process.pid}"
        self.wait_for("the second chart", lambda: any(b"\0write\0" in self.words_of(pid) for pid in self.running_in(folder, least=1) or ()))
        process.send_signal(signal.SIGINT)
        said, warned = process.communicate(timeout=PATIENCE)
        self.assertEqual(1, process.returncode)
        self.assertEqual(["read"], [chart["name"] for chart in json.loads(said)["charts"]])
        self.assertIn("stopped after 1 of 2 charts", warned)

    def test_end_in_the_middle(self):
        """Ctrl-C ends it with its servers and its folder; so does the next run after a SIGKILL"""
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process = self.start(self.command("write", "--only", "memcached-tcp", "--keys", 200_000),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            folder = Path("/dev/shm") / f"leveret-bench-{process.pid}"
            self.wait_for("a turn", lambda: (folder / "turn" / "output.log").exists())
            children = self.wait_for("PHP and its server", lambda: self.running_in(folder))
            process.send_signal(signal_number)
            process.communicate(timeout=PATIENCE)
            self.wait_for("the end of all", lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))
            if signal_number != signal.SIGKILL:
                self.assertEqual(1, process.returncode)
                self.assertFalse(folder.exists())
        self.bench("read", "--only", "files", "--rounds", 1, "--keys", 10)
        self.assertFalse(folder.exists())

    def words_of(self, pid):
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return b""

    def running_in(self, folder, least=3):
        """Processes in the folder of a run: at least a server, a writer and a reader."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd").startswith(str(folder)):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found if len(found) >= least else None
