"""The classes MemcachePool and Memcache and the functions memcache_*: the same calls with pecl/memcache and with ours."""

import subprocess
import unittest

from servers import Server
from support import EXTENSION, PHP, SCRIPTS, SystemTest, run


class MemcacheClass(SystemTest):
    """Everything runs unchanged, whoever provides the classes, and whatever the server is."""

    def setUp(self):
        super().setUp()
        self.server = Server(self, "memcached")

    def peer(self, *words):
        return self.lines([PHP, "-n", "-d", "extension=memcache.so", SCRIPTS / "memcache_calls.php", *words])

    def own(self, *words):
        ours = [PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "leveret.provide=memcache", "-d", f"leveret.dir={self.arenas}"]
        check = "if (!extension_loaded('leveret') || phpversion('memcache') !== '8.2') exit(9);"
        self.assertEqual(0, run([*ours, "-r", check]).returncode, "the classes are not ours")
        return self.lines([*ours, SCRIPTS / "memcache_calls.php", *words])

    def lines(self, command):
        done = run([str(word) for word in command])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def compare(self, calls_min, want, got):
        self.assertGreater(len(want), calls_min, "\n".join(want))
        self.assertEqual(want, got)
        self.remark(f"{len(want)} lines compared")

    def test_text(self):
        """each call answers as pecl/memcache's, in the text protocol"""
        place = ("127.0.0.1", self.server.port)
        self.compare(330, self.peer(*place), self.own(*place))

    def test_binary(self):
        """each call answers as pecl/memcache's, in the binary protocol"""
        place = ("127.0.0.1", self.server.port, 0, "binary")
        self.compare(310, self.peer(*place), self.own(*place))

    def test_udp(self):
        """each call answers as pecl/memcache's, over UDP"""
        place = ("127.0.0.1", self.server.port, self.server.udp_port)
        self.compare(110, self.peer(*place), self.own(*place))


if __name__ == "__main__":
    unittest.main()
