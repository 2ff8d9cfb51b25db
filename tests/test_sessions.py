"""PHP sessions under php-fpm and nginx: visitors at the same time, and workers killed while they hold a session."""

import json
import random
import threading
import time

from servers import Server
from support import PATIENCE, SystemTest, original_of
from webserver import Client, Fpm, Nginx, kill, share

WORKERS = 6
VISITORS = 6
VISITS = 20
KILLS = 100
MONTHS = 60 * 24 * 60 * 60

# As many tries as a busy machine may need; and hardly any, for a request that would wait in vain.
PATIENT = {"memcached.sess_lock_wait_min": 2, "memcached.sess_lock_wait_max": 20, "memcached.sess_lock_retries": 5000}
HASTY = {"memcached.sess_lock_wait_min": 1, "memcached.sess_lock_wait_max": 1, "memcached.sess_lock_retries": 1}


class Page:
    """session.php with its own php-fpm. Save paths come with the requests."""

    def __init__(self, test, provider, name="site", handler="memcached"):
        self.test = test
        self.fpm = Fpm(test, provider.with_ini(session__save_handler=handler), WORKERS, name)
        self.nginx = Nginx(test, self.fpm, "session.php")

    def ask(self, path, id, settings=PATIENT, client=None, **query):
        settings = json.dumps({"session.save_path": path, **settings})
        return (client or Client(self.nginx, PATIENCE)).ask(id=id, settings=settings, **query)

    def visit(self, path, id, settings=PATIENT, **query):
        """The count of a visit that must go well."""
        status, text = self.ask(path, id, settings, **query)
        self.test.assertEqual(200, status, text)
        answer = json.loads(text)
        self.test.assertEqual([], answer["warnings"], f"on {path}")
        return answer["count"]

    def hold_and_kill(self, path, id, settings):
        """A worker opens the session and is killed with it in its hands."""
        mark = self.test.folder / f"held-{id}"
        visitor = threading.Thread(target=lambda: self.ask(path, id, settings, do="hold", mark=mark))
        visitor.start()
        self.test.wait_for("a worker to hold the session", mark.exists)
        holder = int(mark.read_text())
        mark.unlink()
        self.test.assertTrue(kill(holder))
        visitor.join()
        self.test.wait_for("the end of the worker", lambda: holder not in self.fpm.workers())


def lasting(lock_secs):
    return {**PATIENT, "memcached.sess_lock_expire": lock_secs}


class Site(SystemTest):
    """Pages and their visitors, for the tests of each handler."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o777)  # the pages leave marks in it
        share(self.arenas)

    def visit_together(self, *ways, **query):
        """All visitors open one session at once, each by one of `ways`: each increment is counted, once."""
        counts, complaints = [], []

        def visit(page, path):
            try:
                counts.extend(page.visit(path, "together", nap=3000, **query) for _ in range(VISITS))
            except BaseException as error:  # of whatever kind: the main thread must see it
                complaints.append(error)

        visitors = [threading.Thread(target=visit, args=ways[number % len(ways)]) for number in range(VISITORS)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
        self.assertEqual([], complaints)
        self.assertEqual(list(range(1, VISITORS * VISITS + 1)), sorted(counts), [path for _, path in ways])


class Sessions(Site):
    def page(self):
        return Page(self, self.ours(leveret__provide="apcu,memcached"))

    def path(self, kind, unix=False, **more):
        """The save path of a new server."""
        server = Server(self, kind, *(["-a", "777"] if unix else []), unix=unix, **more)
        return str(server.socket) if unix else server.address

    def test_together_original(self):
        """Visitors of one session at the same time are each counted once with the original's handler: the drill is fair"""
        self.visit_together((Page(self, original_of("memcached")), self.path("memcached")))

    def test_together_servers(self):
        """Visitors of one session at the same time are each counted once on memcached and `leveret serve`, over TCP and Unix sockets"""
        page = self.page()
        for kind in ("memcached", "leveret"):
            for unix in (False, True):
                self.visit_together((page, self.path(kind, unix)))

    def test_together_arena(self):
        """Visitors of one session at the same time are each counted once on an arena, also where the pages use it as their cache"""
        page = self.page()
        self.visit_together((page, "arena:sessions"))
        self.visit_together((page, "arena:apcu"), apcu=1)

    def test_together_mixed(self):
        """Visitors on the arena's host and visitors of pecl/memcached at its server exclude each other: each is counted once"""
        ours = self.page()
        ours.visit("arena:sessions", "first")  # so that the arena belongs to the pages' user, before root's server comes to it
        others = Page(self, original_of("memcached"), "others")
        address = self.path("leveret", arena=self.arena("sessions"))
        self.visit_together((ours, "arena:sessions"), (others, address), (ours, address))

    def test_killed_on_arena(self):
        """On an arena the lock of a session ends with its worker: the next visit does not wait, and no write is lost"""
        page = self.page()
        self.assertEqual(1, page.visit("arena:sessions", "a"))
        page.hold_and_kill("arena:sessions", "a", lasting(3600))
        self.assertEqual(2, page.visit("arena:sessions", "a", HASTY))

    def test_killed_on_server(self):
        """On a server the lock of a killed worker refuses the visits that the original's refuses, until it expires; nothing is lost"""
        refused = []
        for page in (Page(self, original_of("memcached"), "original"), self.page()):
            for path in (self.path("memcached"), self.path("memcached", unix=True)):
                self.assertEqual(1, page.visit(path, "a"))
                page.hold_and_kill(path, "a", lasting(3600))
                refused.append(page.ask(path, "a", HASTY)[1].replace("\\/", "/").replace(path, "PATH"))
                self.visits_go_on(page, path)
            page.fpm.stop()
        self.assertIsNone(json.loads(refused[0])["count"])
        self.assertEqual(1, len(set(refused)), refused)
        self.visits_go_on(self.page(), self.path("leveret"))

    def visits_go_on(self, page, path):
        """A visit outwaits the lock of a killed worker."""
        self.assertEqual(1, page.visit(path, "b"))
        page.hold_and_kill(path, "b", lasting(1))
        self.assertEqual(2, page.visit(path, "b"))

    def test_long_life(self):
        """A session or a lock of more than thirty days does not expire, although the protocol takes such a number for a Unix time"""
        page, settings = self.page(), {**PATIENT, "session.gc_maxlifetime": MONTHS, "memcached.sess_lock_expire": MONTHS}
        for path in (self.path("memcached"), self.path("leveret"), "arena:sessions"):
            self.assertEqual([1, 2], [page.visit(path, "a", settings) for _ in range(2)], path)

    def test_kill_storm(self):
        """Workers killed under load with their sessions on an arena: no acknowledged visit lost or counted twice, and no visit left waiting"""
        page = self.page()
        visitors = [Visitor(page, number) for number in range(VISITORS)]
        for visitor in visitors:
            visitor.start()
        kills = self.kill_workers(page.fpm, visitors)
        for visitor in visitors:
            visitor.leave()
        shared, cut_off = [count for visitor in visitors for count in visitor.shared], sum(visitor.cut_off for visitor in visitors)
        self.remark(f"{kills} workers killed, {len(shared)} visits of a shared session counted, {cut_off} visits cut off by a kill")
        self.assertEqual([], [visitor.complaint for visitor in visitors if visitor.complaint])
        self.assertEqual(len(shared), len(set(shared)), "two visits of a session were counted as one")
        self.assertLessEqual(page.visit("arena:sessions", "shared") - 1 - len(shared), cut_off)
        self.leveret("verify", "--arena", self.arena("sessions"))

    def kill_workers(self, fpm, visitors):
        """Kills at random moments, each after some answer has come in between, so that the site stays under load."""
        kills, random_moment = 0, random.Random(4)
        answers = lambda: sum(len(visitor.shared) for visitor in visitors)
        while kills < KILLS and not any(visitor.complaint for visitor in visitors):
            before = answers()
            self.wait_for("an answer between two kills", lambda: answers() > before or any(visitor.complaint for visitor in visitors))
            time.sleep(random_moment.uniform(0, 0.01))
            workers = fpm.workers()
            kills += bool(workers) and kill(random_moment.choice(workers))
        return kills


class Visitor(threading.Thread):
    """Visits its own session and the shared one in turn. Knows the possible counts of its own after any kill."""

    def __init__(self, page, number):
        super().__init__(daemon=True)
        self.page, self.id = page, f"own-{number}"
        self.shared, self.cut_off, self.complaint = [], 0, None
        self.leaving = threading.Event()

    def leave(self):
        self.leaving.set()
        self.join()

    def run(self):
        try:
            least = most = 1  # the count of the next visit to the own session
            while not self.leaving.is_set():
                count = self.visit(self.id)
                if count is None:
                    most += 1
                elif least <= count <= most:
                    least = most = count + 1
                else:
                    raise AssertionError(f"{self.id} counts {count}, allowed were {least} to {most}")
                count = self.visit("shared")
                if count is not None:
                    self.shared.append(count)
        except BaseException as error:  # of whatever kind: the main thread must see it
            self.complaint = repr(error)

    def visit(self, id):
        """The count; None: the worker was killed."""
        status, text = self.page.ask("arena:sessions", id, do="close", nap=500)
        if status == 502:
            self.cut_off += 1
            return None
        answer = json.loads(text)
        if status != 200 or answer["warnings"]:
            raise AssertionError(f"{id}: {status} {text[:600]}")
        return answer["count"]


if __name__ == "__main__":
    import unittest

    unittest.main()
