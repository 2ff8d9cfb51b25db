"""A server that speaks the binary protocol only, and a script that has not said so."""

import unittest

from servers import Server
from support import SystemTest, run

CALL = """<?php
    $m = new Memcached; $m->addServer('127.0.0.1', (int) $argv[1]);
    echo json_encode([$m->increment('n', 2), $m->set('n', 40), $m->increment('n', 2), $m->getMulti(['n', 'none']), $m->getOption(Memcached::OPT_BINARY_PROTOCOL)]);"""


class BinaryOnly(SystemTest):
    def lines(self, server):
        done = run(self.php_command("memcached_calls.php", server.address, provider=self.ours(leveret__provide="memcached")))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return [line.replace(str(server.port), "PORT") for line in done.stdout.splitlines()]

    def test_calls(self):
        """each call of Memcached answers on a server without text as on any other"""
        want, got = (self.lines(Server(self, "memcached", *options, udp=False)) for options in ([], ["-B", "binary"]))
        # Every answer of the binary protocol has the version, and its exptimes have no sign.
        left_out = ("fetch: ", "fetchAll: ", "get ex: ", "seen: ")
        pick = lambda lines: [line for line in lines if not line.startswith(left_out)]
        self.assertEqual(pick(want), pick(got))
        self.remark(f"{len(pick(want))} lines compared")

    def test_processes(self):
        """one process finds it out, and others of the host know it from the arena"""
        server = Server(self, "memcached", "-B", "binary", udp=False)
        want = [False, True, 42, {"n": 42}, 0]
        for _ in range(2):
            self.assertEqual(want, self.php(CALL, server.port, provider=self.ours()))
            want[0] = 44
        self.assertTrue((self.arenas / "protocols.arena").exists())
        # An explicit choice of text sends no binary: the original's failure.
        chosen = CALL.replace("$m = new Memcached;", "$m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, false); $m->setOption(Memcached::OPT_POLL_TIMEOUT, 100);")
        self.assertEqual([False, False, False], self.php(chosen, server.port, provider=self.ours())[:3])


if __name__ == "__main__":
    unittest.main()
