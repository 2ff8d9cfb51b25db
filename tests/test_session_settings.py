"""Sessions with the settings of their handlers: they are on the servers, and expire, as with the originals, and both read each other's."""

import unittest

from servers import Server
from support import SystemTest, original_of, run


class SessionSettings(SystemTest):
    def test_places_memcached(self):
        """Sessions of the handler "memcached" are on the servers that pecl/memcached chooses, for each ring, weight, prefix and replica, and expire alike"""
        self.compare("memcached", 600)

    def test_places_memcache(self):
        """Sessions of the handler "memcache" are on the servers that pecl/memcache chooses, the same copy is read first, and they expire alike"""
        self.compare("memcache", 600)

    def test_fleet_memcache(self):
        """Sessions of the handler "memcache" of any size, compressed or not, pass between hosts with pecl/memcache and with ours, and come out whole"""
        self.pass_around("memcache", lost=1)

    def test_fleet_memcached(self):
        """Sessions of the handler "memcached" of any size pass between hosts with pecl/memcached and with ours, and come out whole"""
        self.pass_around("memcached", lost=2)

    def pass_around(self, handler, lost):
        """Each host reads the sessions of the one before, and writes them again. `lost` are too large for memcached, by the script's output."""
        servers = [Server(self, "memcached", unix=True) for _ in range(2)]
        places = ",".join(str(server.socket) for server in servers)
        theirs, ours = original_of(handler), self.ours(leveret__provide=handler)
        told = []
        for number, provider in enumerate((theirs, ours, ours, theirs, theirs, ours)):
            extensions = ("igbinary", "msgpack") if provider is ours or handler == "memcache" else ()
            done = run(self.php_command("session_values.php", handler, places, number, provider=provider, extensions=extensions))
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            told.append(done.stdout.splitlines())
        # The first one finds nothing; then all find the same, and store it with the same flags.
        self.assertEqual(lost, sum("true all of it, true" not in line for line in told[4]))
        for number, lines in enumerate(told[1:], 1):
            self.assertEqual([], [pair for pair in zip(told[4], lines) if pair[0] != pair[1]][:10], f"host {number}: (original after original, this one)")
            self.assertEqual(len(told[4]), len(lines))
        self.remark(f"{len(told[4])} sessions, {len(told)} hosts")

    def compare(self, handler, sessions):
        servers = [Server(self, "memcached", udp=False) for _ in range(2)] + [Server(self, "memcached", unix=True)]
        places = ",".join([servers[0].address, servers[1].address, str(servers[2].socket)])
        want, got = (self.lines(provider, handler, places) for provider in (original_of(handler), self.ours(leveret__provide=handler)))
        self.assertEqual([], [pair for pair in zip(want, got) if pair[0] != pair[1]][:10], f"({handler}'s original, ours)")
        self.assertEqual(len(want), len(got))
        self.assertGreaterEqual(sum("read from" in line for line in got), sessions)
        self.remark(f"{len(want)} lines compared")

    def lines(self, provider, handler, places):
        done = run(self.php_command("session_settings.php", handler, places, "127.0.0.1:1", provider=provider))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
