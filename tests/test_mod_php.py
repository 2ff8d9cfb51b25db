"""Apache with mod_php on the arena: root's parent and www-data's children, killed, used up and restarted gracefully under load."""

import json
import random
import re
import threading
import time

from apache import Apache
from support import PATIENCE, SystemTest, original
from visitor import Visitor, complaints
from webserver import WORKER_USER, Client, kill, share

CLIENTS = 6
CHILDREN = 16
REQUESTS_OF_A_CHILD = 30
RESTARTS = 30
KILLS_BETWEEN_RESTARTS = 8  # Apache replaces its dead once a second, and all children when it restarts: so half of them, or the visitors wait
VISITS = 50


class ModPhp(SystemTest):
    def setUp(self):
        super().setUp()
        share(self.arenas)

    def site(self, provider, script="site.php", **more):
        self.apache = Apache(self, provider, script, **more)
        return self.apache

    def ask(self, **query):
        status, text = Client(self.apache, PATIENCE).ask(**query)
        self.assertEqual(200, status, text)
        return json.loads(text)

    def store(self, key, value):
        self.assertIs(True, self.ask(do="store", key=key, value=value))
        self.assertEqual(value, self.ask(do="fetch", key=key))

    def test_load(self):
        """mod_php's children killed, used up and restarted gracefully under load: no wrong answer, no acknowledged write lost, no crash"""
        apache = self.site(self.ours(apc__shm_size="64M", leveret__apcu_persist=1), workers=CHILDREN, requests=REQUESTS_OF_A_CHILD)
        visitors = [Visitor(apache, f"own-{number}") for number in range(CLIENTS)]
        for visitor in visitors:
            visitor.start()
        try:
            self.kill_and_restart(apache, visitors)
        finally:
            for visitor in visitors:
                visitor.leave()
        answers = sum(visitor.answers for visitor in visitors)
        self.remark(f"{answers} answers checked, {sum(v.cut_off for v in visitors)} requests cut off by a kill")
        self.assertEqual([], complaints(visitors))
        self.assertTrue(all(visitor.answers for visitor in visitors), "a visitor never got an answer")
        self.assertTrue(any(visitor.cut_off for visitor in visitors), "no child was killed at work")
        self.leveret("verify", "--arena", self.arena())
        self.assertEqual(0, json.loads(self.leveret("stats", "--arena", self.arena(), "--json"))["evicted"])
        self.assertEqual(set(), set(re.findall(r"exit signal (.*)", apache.said())) - {"Killed (9)"})

    def kill_and_restart(self, apache, visitors):
        random_moment = random.Random(5)
        for _ in range(RESTARTS):
            kills = 0
            while kills < KILLS_BETWEEN_RESTARTS and not complaints(visitors):
                answers = sum(visitor.answers for visitor in visitors)
                self.wait_for("an answer between two kills", lambda: sum(visitor.answers for visitor in visitors) > answers or complaints(visitors))
                time.sleep(random_moment.uniform(0, 0.01))
                children = apache.workers()
                if children:
                    kills += kill(random_moment.choice(children))
            apache.graceful()

    def test_empties(self):
        """A restart and a graceful restart of Apache empty apcu_* once, as with the original"""
        for provider in original(), self.ours():
            apache = self.site(provider, workers=2)
            for again in apache.restart, apache.graceful, apache.graceful:
                self.store("k", "before")
                again()
                self.assertIsNone(self.ask(do="fetch", key="k"), provider.name)
            self.store("k", "after")
            killed = apache.workers()[0]
            kill(killed)
            self.wait_for("another child", lambda: killed not in apache.workers() and len(apache.workers()) == 2)
            self.assertEqual("after", self.ask(do="fetch", key="k"), provider.name)
            apache.stop()

    def test_latecomer(self):
        """A child that outlives a graceful restart, and uses the cache for the first time then, empties nothing"""
        self.folder.chmod(0o777)
        for provider in original(), self.ours():
            apache = self.site(provider, workers=2)
            mark = self.folder / "late"
            latecomer = threading.Thread(target=Client(apache, PATIENCE).ask, kwargs={"do": "late", "mark": mark, "key": "k"})
            latecomer.start()
            self.wait_for("a child to have its request", mark.exists)
            apache.graceful()
            self.store("k", "after")
            mark.unlink()
            latecomer.join()
            self.assertEqual("after", self.ask(do="fetch", key="k"), provider.name)
            apache.stop()

    def test_command_line(self):
        """The arena belongs to the user of the children, and the command line of that user and root's reach it"""
        self.site(self.ours())
        self.store("k", "of Apache")
        if WORKER_USER:
            self.assertEqual(WORKER_USER, self.arena().owner())
        self.assertEqual("of Apache", self.leveret("get", "--arena", self.arena(), "k").rstrip("\n"))
        for number, user in enumerate((None, WORKER_USER)):
            self.assertEqual(["of Apache", number + 1], self.php("<?php echo json_encode([apcu_fetch('k'), apcu_inc('count')]);", user=user))
        self.assertEqual(2, self.ask(do="fetch", key="count"))

    def test_sessions(self):
        """Sessions in an arena count each visit once while Apache restarts gracefully, by the handler of each class"""
        patient = {"memcached.sess_lock_wait_min": 2, "memcached.sess_lock_wait_max": 20, "memcached.sess_lock_retries": 5000}
        for handler in "memcached", "memcache":
            apache = self.site(self.ours(session__save_handler=handler, session__save_path=f"arena:{handler}"), "session.php", requests=VISITS)
            answers = []
            visits = lambda: answers.extend(Client(apache, PATIENCE).ask(id="one", nap=1000, settings=json.dumps(patient)) for _ in range(VISITS))
            visitors = [threading.Thread(target=visits) for _ in range(CLIENTS)]
            for visitor in visitors:
                visitor.start()
            while any(visitor.is_alive() for visitor in visitors):
                seen = len(answers)
                self.wait_for("more visits", lambda: len(answers) >= min(seen + VISITS, CLIENTS * VISITS))
                apache.graceful()
            self.assertEqual({200}, {status for status, text in answers}, handler)
            pages = [json.loads(text) for status, text in answers]
            self.assertEqual([], [page for page in pages if page["warnings"]], handler)
            self.assertEqual(list(range(1, CLIENTS * VISITS + 1)), sorted(page["count"] for page in pages), handler)
            apache.stop()
