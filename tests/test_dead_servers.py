"""The class Memcached on four real servers, one of which is killed, during pipelines and for good; and sessions of the handler "memcache"."""

import json
import random
import signal
import socket
import unittest

from servers import Server
from support import SystemTest, original_of

MODES = ("plain", "binary", "eject")
DEATHS = 3


class DeadServers(SystemTest):
    def setUp(self):
        super().setUp()
        self.servers = [Server(self, "memcached", unix=True) for _ in range(4)]
        self.sockets = [server.socket for server in self.servers]
        self.victim = self.servers[1]

    def memcached(self):
        return self.ours(leveret__provide="memcached")

    def test_answers(self):
        """With one of four servers dead each call answers, with its result code, as pecl/memcached does"""
        self.victim.kill(signal.SIGKILL)
        said = [self.run_php("dead_server.php", *self.sockets, 1, provider=provider) for provider in (original_of("memcached"), self.memcached())]
        self.assertEqual(["", ""], [done.stderr for done in said])
        want, got = (done.stdout.splitlines() for done in said)
        self.assertGreater(len(want), 30)
        self.assertEqual(want, got)

    def test_statistics(self):
        """A request to all servers ends with pecl/memcached's failure: a hanging server before a dead one, and both before a refusal"""
        with socket.socket(socket.AF_UNIX) as hanging:
            hanging.bind(str(self.folder / "hanging"))
            hanging.listen(64)
            words = self.sockets[0], self.folder / "nobody", self.folder / "hanging"
            said = [self.run_php("dead_statistics.php", *words, provider=provider) for provider in (original_of("memcached"), self.memcached())]
        self.assertEqual(["", ""], [done.stderr for done in said])
        want, got = (done.stdout.splitlines() for done in said)
        self.assertEqual(12, len(want))
        self.assertEqual(want, got)

    def test_sessions(self):
        """With one of two servers dead each session of the handler "memcache" continues from its other copy, as with pecl/memcache: no visit is blocked by its own lock"""
        providers = original_of("memcache"), self.ours(leveret__provide="memcache")
        said = [self.run_php("dead_sessions.php", living, self.folder / "nobody", provider=provider) for living, provider in zip(self.sockets, providers)]
        want, got = (done.stdout.splitlines() for done in said)
        self.assertEqual(8 * 13, len(want), said[0].stdout)
        self.assertEqual(want, got)

    def test_new_start(self):
        """quit(), and each option that reconnects, resets a failed server, as with pecl/memcached: a queue worker uses a server that is back"""
        seed = random.randrange(1 << 31)
        self.remark(f"seed {seed}")
        providers = original_of("memcached"), self.memcached()
        said = [self.run_php("dead_quit.php", socket, f"{socket}-place", seed, provider=provider) for socket, provider in zip(self.sockets[2:], providers)]
        self.assertEqual(["", ""], [done.stderr for done in said])
        want, got = (done.stdout.splitlines() for done in said)
        self.assertEqual(5 * (14 + 40), len(want))
        self.assertEqual([], [pair for pair in zip(want, got, strict=True) if pair[0] != pair[1]][:3], f"(pecl/memcached's, ours), seed {seed}")

    def test_limit_and_new_start(self):
        """quit() resets a failed server also beyond the failure limit, where pecl/memcached never tries it again, and a temporary ejection"""
        script = """<?php
            [, $socket, $place] = $argv;
            foreach ([[], [Memcached::OPT_REMOVE_FAILED_SERVERS => true, Memcached::OPT_DEAD_TIMEOUT => 600]] as $options) {
                $pool = new Memcached();
                $pool->setOptions([Memcached::OPT_RETRY_TIMEOUT => 600, Memcached::OPT_SERVER_FAILURE_LIMIT => 3] + $options);
                $pool->addServer($place, 0);
                for ($failures = 0; $failures < 5; $failures++) {
                    $pool->set('key', 1);
                    $pool->quit();
                }
                symlink($socket, $place);
                $told[] = $pool->set('key', 1);
                unlink($place);
            }
            echo json_encode($told);"""
        self.assertEqual([True, True], self.php(script, self.sockets[0], self.folder / "place", provider=self.memcached()))

    def test_pipelines(self):
        """A server is killed and revived in the middle of pipelines: the keys of the others are always right, its own come back"""
        running = {mode: self.start_php("pipelines.php", mode, self.folder, self.victim.socket, *self.sockets, provider=self.memcached()) for mode in MODES}
        for _ in range(DEATHS):
            self.wait_for_rounds(running)
            self.victim.kill(signal.SIGKILL)
            self.wait_for_rounds(running)
            self.victim.revive()
            for mode in running:
                self.wait_for(f"the victim's keys ({mode})", lambda: self.state(running, mode)["missing"] == 0)
        (self.folder / "stop").touch()
        for mode, process in running.items():
            said, complaint = process.communicate()
            self.assertEqual(0, process.returncode, f"{mode}: {said}{complaint}")
            self.remark(f"{mode}: {said}")
            self.assertGreater(json.loads(said)["keys of the victim"], 0)

    def state(self, running, mode):
        """The program's output of its last round."""
        process, report = running[mode], self.folder / mode
        if process.poll() is not None:
            said, complaint = process.communicate()
            self.fail(f"{mode} ended with {process.returncode}: {said}{complaint}")
        return json.loads(report.read_text()) if report.exists() else {"rounds": 0, "missing": 1}

    def wait_for_rounds(self, running):
        """Each program has done some rounds more."""
        before = {mode: self.state(running, mode)["rounds"] for mode in running}
        for mode in running:
            self.wait_for(f"rounds of {mode}", lambda: self.state(running, mode)["rounds"] >= before[mode] + 20)


if __name__ == "__main__":
    unittest.main()
