"""A php-fpm and nginx site on the arena: killed workers, restarts, reloads, and the command line beside it."""

import fcntl
import json
import random
import time
import unittest

from support import AM_ROOT, PATIENCE, SystemTest, original
from visitor import Visitor, complaints
from webserver import WORKER_USER, Client, DaemonFpm, Fpm, Nginx, kill, share

CLIENTS = 6
WORKERS = 6
KILLS = 1000


class Site(SystemTest):
    def setUp(self):
        super().setUp()
        share(self.arenas)

    def site(self, provider, workers=2):
        self.fpm = Fpm(self, provider, workers)
        self.nginx = Nginx(self, self.fpm, "site.php")
        return self.fpm

    def ask(self, **query):
        status, text = Client(self.nginx, PATIENCE).ask(**query)
        self.assertEqual(200, status, text)
        return json.loads(text)

    def store(self, key, value):
        self.assertIs(True, self.ask(do="store", key=key, value=value))
        self.assertEqual(value, self.ask(do="fetch", key=key))


class Kills(Site):
    # php-fpm's workers count requests under a spin lock that outlives its holder. On a shared processor a worker is more often stopped, and then
    # killed, while it holds that lock: all other workers then spin for ever.
    ALONE = "a worker that is killed with the lock of php-fpm's scoreboard hangs its site"
    maxDiff = None

    def test_sigkill_under_load(self):
        """php-fpm workers killed under load: no wrong answer, no acknowledged write lost, every survivor answers"""
        fpm = self.site(self.ours(apc__shm_size="64M"), WORKERS)
        visitors = [Visitor(self.nginx, f"own-{number}") for number in range(CLIENTS)]
        for visitor in visitors:
            visitor.start()
        try:
            kills = self.kill_workers(fpm, visitors)
        finally:
            for visitor in visitors:
                visitor.leave()
        answers = sum(visitor.answers for visitor in visitors)
        self.remark(f"{kills} workers killed, {answers} answers checked, {sum(v.cut_off for v in visitors)} requests cut off by a kill")
        self.assertEqual([], complaints(visitors))
        self.assertGreater(answers, KILLS, "the site hardly worked, so the kills prove little")
        self.assertTrue(all(visitor.answers for visitor in visitors), "a visitor never got an answer")
        self.every_worker_answers(fpm)
        self.leveret("verify", "--arena", self.arena())
        # The arena is never full: what is evicted here is an acknowledged write that happened not to be anybody's own.
        self.assertEqual(0, json.loads(self.leveret("stats", "--arena", self.arena(), "--json"))["evicted"])

    def kill_workers(self, fpm, visitors):
        """Kills at random moments, each after some answer has come in between, so that the site stays under load."""
        kills, random_moment = 0, random.Random(2)
        while kills < KILLS and not complaints(visitors):
            answers = sum(visitor.answers for visitor in visitors)
            self.wait_for("an answer between two kills", lambda: sum(visitor.answers for visitor in visitors) > answers or complaints(visitors))
            time.sleep(random_moment.uniform(0, 0.01))
            workers = fpm.workers()
            if workers:
                kills += kill(random_moment.choice(workers))
        return kills

    def every_worker_answers(self, fpm):
        self.wait_for("the master to replace the killed workers", lambda: len(fpm.workers()) == WORKERS)
        wanted, version = set(fpm.workers()), 0

        def all_have_answered():
            nonlocal version
            version += 1
            answer = self.ask(do="work", key="after", version=version)
            self.assertTrue(answer["stored"])
            wanted.discard(answer["pid"])
            return not wanted

        self.wait_for("an answer of each worker", all_have_answered)


class Masters(Site):
    def test_restart_empties(self):
        """A restart of php-fpm empties apcu_*, as deployments rely on, and as the original does"""
        for provider in (original(), self.ours()):
            fpm = self.site(provider)
            self.store("k", "before")
            fpm.restart()
            self.assertIsNone(self.ask(do="fetch", key="k"), provider.name)
            self.store("k", "after")
            fpm.stop()

    def test_reload_empties(self):
        """A reload of php-fpm empties apcu_* once, as with the original, and not again afterwards"""
        for provider in (original(), self.ours()):
            fpm = self.site(provider)
            self.store("k", "before")
            fpm.reload()
            self.assertIsNone(self.ask(do="fetch", key="k"), provider.name)
            self.store("k", "after")
            killed = fpm.workers()[0]
            kill(killed)
            self.wait_for("a new worker", lambda: killed not in fpm.workers() and len(fpm.workers()) == 2)
            self.assertEqual("after", self.ask(do="fetch", key="k"), provider.name)
            fpm.stop()

    def test_preload(self):
        """The files of apc.preload_path are in apcu_* after each restart of php-fpm, as with the original, and are not stored again meanwhile"""
        preloaded = self.folder / "preloaded"
        preloaded.mkdir()
        (preloaded / "k.data").write_text('s:6:"before";')
        preloaded.chmod(0o755)
        (preloaded / "k.data").chmod(0o644)
        for provider in (original(apc__preload_path=preloaded), self.ours(apc__preload_path=preloaded)):
            fpm = self.site(provider)
            self.assertEqual("before", self.ask(do="fetch", key="k"), provider.name)
            self.store("k", "changed")
            fpm.restart()
            self.assertEqual("before", self.ask(do="fetch", key="k"), provider.name)
            self.store("k", "changed")
            killed = fpm.workers()[0]
            kill(killed)
            self.wait_for("a new worker", lambda: killed not in fpm.workers() and len(fpm.workers()) == 2)
            self.assertEqual("changed", self.ask(do="fetch", key="k"), provider.name)
            fpm.stop()

    def test_persist(self):
        """With leveret.apcu_persist=1 a restart and a reload of php-fpm keep what apcu_* holds"""
        fpm = self.site(self.ours(leveret__apcu_persist=1))
        self.store("k", "kept")
        fpm.restart()
        self.assertEqual("kept", self.ask(do="fetch", key="k"))
        fpm.reload()
        self.assertEqual("kept", self.ask(do="fetch", key="k"))

    def test_entering_waits(self):
        """A worker that cannot enter for its master acknowledges no write, since the next worker would empty it again"""
        self.assertIs(True, self.php("<?php echo json_encode(apcu_store('k', 'of an earlier time'));", user=WORKER_USER))
        with open(f"{self.arena()}.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            fpm = self.site(self.ours(leveret__lock_timeout=20))
            self.assertIs(False, self.ask(do="store", key="k", value="lost"))
        self.wait_for("a worker to enter", lambda: self.ask(do="store", key="k", value="kept"))
        entered = set()

        def all_have_entered():
            answer = self.ask(do="work", key="other", version=1)
            entered.update({answer["pid"]} if answer["stored"] else ())
            return entered == set(fpm.workers())

        self.wait_for("every worker to enter", all_have_entered)
        self.assertEqual("kept", self.ask(do="fetch", key="k"))

    def test_second_master(self):
        """A second php-fpm that starts beside a living one shares its items and empties nothing"""
        self.site(self.ours())
        self.store("k", "of the first")
        second = Fpm(self, self.ours(), workers=1, name="second")
        self.nginx = Nginx(self, second, "site.php")
        self.assertEqual("of the first", self.ask(do="fetch", key="k"))


    def test_masters_in_the_background(self):
        """Two php-fpms that run in the background share their items, and a restart of one beside the other empties nothing"""
        self.fpm = DaemonFpm(self, self.ours(), name="first")
        other = DaemonFpm(self, self.ours(), name="second")
        pages = [Nginx(self, fpm, "site.php") for fpm in (self.fpm, other)]

        def every_worker_of(fpm, nginx):
            """Each of them enters for its master."""
            self.nginx, seen = nginx, set()

            def all_have_answered():
                answer = self.ask(do="work", key=f"own-{fpm.process.pid}", version=len(seen) + 1)
                seen.add(answer["pid"])
                return seen == set(fpm.workers())

            self.wait_for("every worker to answer", all_have_answered)

        self.nginx = pages[0]
        self.store("k", "of the first")
        for fpm, nginx in ((self.fpm, pages[0]), (other, pages[1])):
            every_worker_of(fpm, nginx)
            self.assertEqual("of the first", self.ask(do="fetch", key="k"))
        self.fpm.restart()
        every_worker_of(self.fpm, pages[0])
        self.assertEqual("of the first", self.ask(do="fetch", key="k"))
        other.stop()
        self.fpm.restart()
        every_worker_of(self.fpm, pages[0])
        self.assertIsNone(self.ask(do="fetch", key="k"), "with the last master the items go")


class CommandLine(Site):
    def test_same_user(self):
        """php-fpm and a command-line PHP of the same user see each other's items, as the leveret command does"""
        self.site(self.ours())
        self.store("from-fpm", "hello")
        seen = self.php("<?php echo json_encode([apcu_fetch('from-fpm'), apcu_store('from-cli', 'back')]);", user=WORKER_USER)
        self.assertEqual(["hello", True], seen)
        self.assertEqual("back", self.ask(do="fetch", key="from-cli"))
        self.assertEqual("hello", self.leveret("get", "--arena", self.arena(), "from-fpm").rstrip("\n"))

    @unittest.skipUnless(AM_ROOT, "needs root, to be another user")
    def test_group(self):
        """In a folder of a group (as packages make it) php-fpm, another user of the group and root share one arena"""
        self.site(self.ours())
        self.store("k", "shared")
        self.assertEqual(0o660, self.arena().stat().st_mode & 0o777)
        seen = "<?php echo json_encode([apcu_fetch('k'), apcu_inc('count')]);"
        self.assertEqual(["shared", 1], self.php(seen, user="games", groups=[WORKER_USER]))
        self.assertEqual(["shared", 2], self.php(seen))
        self.assertEqual(2, self.ask(do="fetch", key="count"))

    @unittest.skipUnless(AM_ROOT, "needs root, to be another user")
    def test_refused_user(self):
        """A user without access to php-fpm's arena gets a disabled cache and one line with the reason, no crash"""
        self.site(self.ours())
        self.store("secret", "of www-data")
        self.arenas.chmod(0o755)
        script = "<?php echo json_encode([apcu_fetch('secret'), apcu_store('x', 1), apcu_fetch('secret')]);"
        done = self.run_php(script, provider=self.ours(log_errors=1, error_log=""), user="games")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([False, False, False], json.loads(done.stdout))
        self.assertIn(str(self.arena()), done.stderr)
        self.assertEqual("of www-data", self.ask(do="fetch", key="secret"))
