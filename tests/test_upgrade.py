"""An upgrade and a step back under a running site: a build of layout 1 beside this one.

The long form runs both builds: `./x upgrade` makes build/before from the last commit whose arenas have layout 1. The short form has one of its
arenas instead: tests/layout1.arena.xz, which `LEVERET_WRITE_ARENA=1 ./x upgrade` makes anew.
"""

import itertools
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import threading
import unittest

from servers import listens
from support import COMMAND, EXTENSION, PATIENCE, ROOT, Provider, SystemTest
from webserver import WORKER_USER, Client, Fpm, Nginx, share

BEFORE = ROOT / "build" / "before"
ARENA = ROOT / "tests" / "layout1.arena.xz"
WORKERS = 2
NOW_SAYS = "has layout 1, and new arenas have 2"
BEFORE_SAYS = "has layout version 2, and this program reads version 1"


class Built(Provider):
    """Our extension, from a file of its own."""

    def __init__(self, library, ini):
        super().__init__("leveret", ini)
        self.library = library

    def with_ini(self, **more):
        return Built(self.library, super().with_ini(**more).ini)

    def settings(self, extensions=()):
        return [f"extension={self.library}" if line == f"extension={EXTENSION}" else line for line in super().settings(extensions)]


class GracefulFpm(Fpm):
    """An Apache that lets its workers end their requests before it loads PHP again."""

    def start(self):
        self.config.write_text(self.config.read_text().replace("daemonize = no", f"daemonize = no\nprocess_control_timeout = {PATIENCE}s"))
        super().start()


class Layouts(SystemTest):
    def setUp(self):
        super().setUp()
        share(self.arenas)
        self.log = self.folder / "php.log"
        self.log.touch()
        self.log.chmod(0o666)
        self.library = self.folder / "leveret.so"
        self.socket = self.folder / "server.sock"
        self.errors = self.folder / "server.log"
        self.server = None

    def provider(self, library, **ini):
        return Built(library, self.ours(log_errors=1, **{"error_log": self.log, **ini}).ini)

    def put(self, build):
        """As a package does: a new file of the old name."""
        shutil.copy(build / "leveret.so", self.folder / "new.so")
        os.replace(self.folder / "new.so", self.library)

    def begin_server(self, build, *options):
        """False: it has refused."""
        self.server = self.start(
            [str(build / "leveret"), "serve", "--dir", str(self.arenas), "--arena", "shop", "-m", "16", "-s", str(self.socket), "-a", "777", "-t", "2"]
            + (["-u", "root"] if os.geteuid() == 0 else []) + list(options),
            stderr=open(self.errors, "ab"),
        )
        self.wait_for("the server", lambda: self.server.poll() is not None or listens(self.socket))
        return self.server.poll() is None

    def end_server(self):
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(PATIENCE)
        self.socket.unlink(missing_ok=True)

    def said(self, path, text):
        return [line for line in path.read_text().splitlines() if text in line]

    def layout(self, name):
        # docs/memory-layout.md: the version follows the 8 bytes of the magic.
        return int.from_bytes(self.arena(name).read_bytes()[8:12], sys.byteorder)

    def old_arena(self, name, owner=WORKER_USER):
        """An arena that a build of layout 1 has left, a worker of php-fpm or the server."""
        if not str(self.folder).startswith("/dev/shm"):
            self.skipTest("/dev/shm has no room: on a disk it is an arena of an earlier start of the machine")
        path = self.arena(name)
        path.write_bytes(lzma.decompress(ARENA.read_bytes()))
        path.chmod(0o660)
        if WORKER_USER:
            shutil.chown(path, owner, WORKER_USER)
        return path


class OldArena(Layouts):
    """One that a build of layout 1 has left."""

    def setUp(self):
        super().setUp()
        self.build = ROOT / "build"

    def test_values(self):
        """Values of all kinds and APIs in an arena of layout 1 are read, counted, overwritten, touched and deleted; one log line names the layout"""
        self.old_arena("old", "root")
        done = self.run_php("upgrade_values.php", "check", "old", provider=self.provider(EXTENSION, **{"leveret.apcu_arena": "old"}))
        self.assertEqual((0, "[]"), (done.returncode, done.stdout), done.stderr)
        said = self.said(self.log, NOW_SAYS)
        self.assertEqual(1, len(said), said)
        self.assertIn(f"'leveret renew {self.arena('old')}'", said[0])
        self.leveret("verify", "--arena", self.arena("old"))
        self.assertEqual(1, self.layout("old"))

    def test_server(self):
        """A server says once that its arena has layout 1, and again of none that it has renewed"""
        self.old_arena("shop", "root")
        self.assertTrue(self.begin_server(self.build))
        self.wait_for("the log", lambda: self.said(self.errors, NOW_SAYS))
        self.assertEqual("short", self.leveret("get", "--dir", self.arenas, "--arena", "shop", "cache-short-0"))
        self.leveret("renew", self.arena("shop"))
        self.wait_for("the new arena to be served", lambda: self.said(self.errors, "from now on the new arena"))
        self.assertEqual((1, 2), (len(self.said(self.errors, NOW_SAYS)), self.layout("shop")))

    def site(self, **ini):
        self.put(self.build)
        self.fpm = Fpm(self, self.provider(self.library, **ini), WORKERS)
        self.web = Nginx(self, self.fpm, "upgrade.php")

    def ask(self, n):
        status, text = Client(self.web, PATIENCE).ask(n=n, who="one", server=self.socket)
        self.assertEqual(200, status, text)
        return json.loads(text)

    def test_apcu_is_renewed(self):
        """The first worker of a new php-fpm replaces an unused apcu arena of layout 1, without a message"""
        self.old_arena("apcu")
        self.site()
        self.assertEqual([None, True], self.ask(1)["apcu"])
        self.assertEqual([1, True], self.ask(2)["apcu"])
        self.assertEqual((2, []), (self.layout("apcu"), self.said(self.log, "layout")))

    def test_apcu_in_use_is_emptied(self):
        """One that another process uses is emptied, as ever, and stays; each worker says once which layout it has"""
        path = self.old_arena("apcu")
        server = self.start(
            [str(COMMAND), "serve", "--arena", str(path), "-s", str(self.folder / "apcu.sock"), "-u", "root" if os.geteuid() == 0 else os.environ["USER"]],
            stderr=subprocess.DEVNULL,
        )
        self.wait_for("a server of the arena", lambda: listens(self.folder / "apcu.sock"))
        self.site()
        self.assertEqual([None, True], self.ask(1)["apcu"])
        for n in range(2, 20):
            self.assertEqual([n - 1, True], self.ask(n)["apcu"])
        self.assertEqual(1, self.layout("apcu"))
        self.assertIn(len(self.said(self.log, NOW_SAYS)), range(1, WORKERS + 1))
        self.assertIsNone(server.poll())

    def test_apcu_that_persists(self):
        """With leveret.apcu_persist the items of an apcu arena of layout 1 outlive the upgrade"""
        self.old_arena("apcu")
        self.site(**{"leveret.apcu_persist": 1})
        self.assertEqual([None, True], self.ask(1)["apcu"])
        self.assertEqual(1, self.layout("apcu"))
        self.assertEqual("short", self.leveret("get", "--arena", self.arena("apcu"), "cache-short-0"))


class Visits(threading.Thread):
    """Visitors, one after the other: each must get an answer, with the value that was stored last."""

    def __init__(self, web, server):
        super().__init__()
        self.web, self.server = web, server
        self.n, self.answers, self.complaints = 10**6, 0, []
        self.may_be = {"apcu": set(), "cache": set(), "server": set()}
        self.has_left = False

    def run(self):
        while not self.has_left and not self.complaints:
            self.n += 1
            try:
                status, text = Client(self.web, PATIENCE).ask(n=self.n, who="visitor", server=self.server)
                if status != 200:
                    self.complaints.append((status, text))
                    return
                self.judge(json.loads(text))
                self.answers += 1
            except Exception as error:  # noqa: BLE001  (a thread's exceptions are seen by nobody)
                self.complaints.append(repr(error))

    def judge(self, answer):
        for name, may_be in self.may_be.items():
            found, stored = answer[name]
            # A build that does not know the compact form of plain arrays says so, and misses.
            if any("does not unserialize" not in text for text in answer["warnings"]):
                self.complaints.append((name, answer["warnings"]))
            if found is not None and found not in may_be:
                self.complaints.append((name, found, sorted(may_be)[-5:], self.n))
            if stored:
                may_be.clear()
            may_be.add(self.n)

    def leave(self):
        self.has_left = True
        self.join()


@unittest.skipUnless((BEFORE / "leveret.so").exists(), "build/before is not there: ./x upgrade makes it")
class TwoBuilds(Layouts):
    def setUp(self):
        super().setUp()
        self.builds = {"old": BEFORE, "new": ROOT / "build"}
        self.web = None

    def test_what_the_old_build_writes(self):
        """Values of all kinds of the old build are read and changed by the new one, and then used by the old one"""
        libraries = {}
        for age, build in self.builds.items():
            libraries[age] = self.folder / f"{age}.so"
            shutil.copy(build / "leveret.so", libraries[age])
            libraries[age].chmod(0o644)
        run = lambda age, do: self.run_php("upgrade_values.php", do, "old", provider=self.provider(libraries[age], **self.small))  # noqa: E731
        self.assertEqual("[]", run("old", "store").stdout)
        if os.environ.get("LEVERET_WRITE_ARENA"):
            ARENA.write_bytes(lzma.compress(self.arena("old").read_bytes(), preset=9))
        self.assertEqual("[]", run("new", "check").stdout)
        self.assertEqual(1, len(self.said(self.log, NOW_SAYS)))
        # Plain arrays of the new build have a form that the old one may not know: such a value is a miss there.
        wrong = json.loads(run("old", "store").stdout)
        self.assertEqual(["apcu counts", "cache counts", "pool counts"], wrong)
        self.leveret("verify", "--arena", self.arena("old"))

    small = {"leveret.memory": "8M", "apc.shm_size": "8M", "leveret.apcu_arena": "old"}

    def test_orders(self):
        """php-fpm and server upgraded and set back in each order, with a renewal anywhere: the site always answers, and reads no old value"""
        orders = [order for order in itertools.permutations("FfSs") if order.index("F") < order.index("f") and order.index("S") < order.index("s")]
        for order in orders:
            for place in range(len(order) + 1):
                with self.subTest(order="".join(order), renewed=place):
                    self.walk([*order[:place], "R", *order[place:]])

    def walk(self, steps):
        for path in [*self.arenas.iterdir(), self.errors]:
            path.unlink(missing_ok=True)
        os.truncate(self.log, 0)
        self.php_age, self.server_age, self.layouts = "old", "old", {"shop": 1, "apcu": 1}
        self.put(self.builds["old"])
        self.begin_server(self.builds["old"])
        self.fpm = GracefulFpm(self, self.provider(self.library, **{"apc.shm_size": "8M", "leveret.memory": "8M"}), WORKERS)
        self.web = self.web or Nginx(self, self.fpm, "upgrade.php")
        self.n = 0
        visits = Visits(self.web, self.socket)
        visits.start()
        try:
            self.settles("at first")
            for at, step in enumerate(steps):
                getattr(self, {"F": "upgrade_php", "f": "set_back_php", "S": "upgrade_server", "s": "set_back_server", "R": "renew"}[step])()
                self.settles(f"after {''.join(steps[: at + 1])}")
        finally:
            visits.leave()
            self.end_server()
            self.fpm.stop()
        self.assertEqual([], visits.complaints)
        self.assertGreater(visits.answers, 10)
        # One line a process: the workers of at most three masters.
        self.assertLessEqual(len(self.said(self.log, f"shop.arena {NOW_SAYS}")), 3 * WORKERS)
        self.assertLessEqual(len(self.said(self.errors, NOW_SAYS)), 1)
        for name in self.layouts:
            self.leveret("verify", "--arena", self.arena(name))

    def upgrade_php(self):
        self.put(self.builds["new"])
        self.fpm.reload()
        self.php_age = "new"
        self.layouts["apcu"] = 2

    def set_back_php(self):
        self.put(self.builds["old"])
        self.fpm.reload()
        self.php_age = "old"

    def upgrade_server(self):
        self.end_server()
        self.assertTrue(self.begin_server(self.builds["new"]))
        self.server_age = "new"
        if self.layouts["shop"] == 1:
            self.wait_for("the server's line", lambda: self.said(self.errors, NOW_SAYS))

    def set_back_server(self):
        self.end_server()
        self.server_age = "old"
        self.assertEqual(self.layouts["shop"] == 1, self.begin_server(self.builds["old"]))
        if self.layouts["shop"] == 2:
            self.assertEqual((3, 1), (self.server.poll(), len(self.said(self.errors, BEFORE_SAYS))))

    def renew(self):
        self.leveret("renew", self.arena("shop"))
        self.layouts["shop"] = 2

    def works(self):
        php = {name: self.php_age == "new" or layout == 1 for name, layout in self.layouts.items()}
        # A server that has the old file open serves on from what is left of it where it cannot read the new one.
        return {"apcu": php["apcu"], "cache": php["shop"], "server": self.server.poll() is None}

    def settles(self, when):
        """The page does what can be done in this state, and each that cannot has said why."""
        works = self.works()

        def is_settled():
            self.n += 1
            answers = []
            for n in self.n, self.n + 1:
                status, text = Client(self.web, PATIENCE).ask(n=n, who="test", server=self.socket, both=1)
                self.assertTrue(status == 200 and text.startswith("{"), (status, text, when))
                answers.append(json.loads(text))
            self.n += 1
            self.last = answers
            return all(answer[name][1] == works[name] for answer in answers for name in works)

        try:
            self.wait_for(f"the state {when}", is_settled)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.last}, wanted {works}; {self.log.read_text()} {self.errors.read_text()}") from None
        if works["cache"] and works["server"] and self.server_age == "new" or self.layouts["shop"] == 1 and self.server.poll() is None:
            self.wait_for(f"one cache {when}", lambda: is_settled() and self.last[1]["both"] == [True, True, f"c{self.n}", f"s{self.n}"])
        # A worker writes the log when its answer has gone.
        if not works["apcu"]:
            self.wait_for(f"the reason {when}", lambda: self.said(self.log, f"apcu.arena {BEFORE_SAYS}"))
        self.assertEqual(not works["cache"], BEFORE_SAYS in self.last[1]["refused"], when)
        if self.php_age == "new" and self.layouts["shop"] == 1:
            self.wait_for(f"PHP's line {when}", lambda: self.said(self.log, f"shop.arena {NOW_SAYS}"))
