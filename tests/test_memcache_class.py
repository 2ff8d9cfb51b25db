"""The classes MemcachePool and Memcache and the functions memcache_*: the same calls with pecl/memcache and with ours."""

import subprocess
import unittest

from servers import Server
from support import EXTENSION, PHP, SCRIPTS, SystemTest, run


PEER = [PHP, "-n", "-d", "extension=memcache.so"]

# In an arena flags that both families of PHP use are taken for whichever the bytes agree with (docs/translation.md).
TRANSLATED = ("lie ", "[8] MemcachePool::get(): Failed to", "[2] Class __PHP_Incomplete_Class has")

# An arena has no slabs, and a larger limit of a value. A request cannot come to it after it was sent to a server that failed.
ONLY_SERVERS = ("too large", "[8] MemcachePool::set(): Server S failed with: SERVER_ERROR object too large", "items", "slabs", "sizes", "reset",
                "[2] Trying to access array offset", "the other server takes over", *TRANSLATED)

# Of version 8.2, whose classes these are; Debian's is 8.0.
NEWER = ["  MemcachePool public $connection", "ini memcache.select_api = NULL, access 7"]


def without(lines, beginnings):
    return [line for line in lines if not line.startswith(beginnings)]


class MemcacheClass(SystemTest):
    """All tests run unchanged with both providers of the classes and each kind of server."""

    def setUp(self):
        super().setUp()
        self.server = Server(self, "memcached")

    def peer(self, *words):
        return self.lines([*PEER, SCRIPTS / "memcache_calls.php", *words])

    def ours_with(self, arenas=None):
        ours = [PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "leveret.provide=memcache", "-d", f"leveret.dir={arenas or self.arenas}"]
        check = "if (!extension_loaded('leveret') || phpversion('memcache') !== '8.2') exit(9);"
        self.assertEqual(0, run([*ours, "-r", check]).returncode, "the classes are not ours")
        return ours

    def own(self, *words, arenas=None):
        return self.lines([*self.ours_with(arenas), SCRIPTS / "memcache_calls.php", *words])

    def lines(self, command):
        done = run([str(word) for word in command])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def compare(self, calls_min, want, got):
        self.assertGreater(len(want), calls_min, "\n".join(want))
        self.assertEqual([], [pair for pair in zip(want, got) if pair[0] != pair[1]][:10], "(pecl/memcache's, ours)")
        self.assertEqual(len(want), len(got))
        self.remark(f"{len(want)} lines compared")

    def test_shape(self):
        """classes, functions, parameters, types, constants and directives are pecl/memcache's"""
        want = self.lines([*PEER, SCRIPTS / "module_shape.php", "memcache"])
        got = self.lines([*self.ours_with(), SCRIPTS / "module_shape.php", "memcache"])
        self.compare(90, want, [line for line in got if line not in NEWER])

    def test_text(self):
        """each call answers as pecl/memcache's, in the text protocol"""
        place = ("127.0.0.1", self.server.port)
        self.compare(330, self.peer(*place), self.own(*place))

    def test_binary(self):
        """each call answers as pecl/memcache's, in the binary protocol"""
        place = ("127.0.0.1", self.server.port, 0, "binary")
        self.compare(310, self.peer(*place), self.own(*place))

    def test_arena(self):
        """each call answers on an arena as pecl/memcache's on a server"""
        for protocol in ("ascii", "binary"):
            want = self.peer("127.0.0.1", self.server.port, 0, protocol)
            got = self.own("arena:calls", 0, 0, protocol)
            self.compare(300, *(without(lines, ONLY_SERVERS) for lines in (want, got)))

    def test_leveret_serve(self):
        """each call answers on `leveret serve` as pecl/memcache's on memcached: over the socket, and through its arena"""
        served = Server(self, "leveret", "--dir", str(self.arenas), arena="served")
        for protocol in ("ascii", "binary"):
            want = self.peer("127.0.0.1", self.server.port, 0, protocol)
            got = self.own("127.0.0.1", served.port, 0, protocol)
            self.compare(310, *(without(lines, TRANSLATED) for lines in (want, got)))
            elsewhere = self.folder / "elsewhere"
            elsewhere.mkdir(exist_ok=True)
            self.compare(310, want, self.own("127.0.0.1", served.port, 0, protocol, arenas=elsewhere))

    def test_udp(self):
        """each call answers as pecl/memcache's, over UDP"""
        place = ("127.0.0.1", self.server.port, self.server.udp_port)
        self.compare(110, self.peer(*place), self.own(*place))


if __name__ == "__main__":
    unittest.main()
