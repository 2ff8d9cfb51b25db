"""Sessions with the settings of their handlers: they lie on the servers, and end, as with the originals."""

import unittest

from servers import Server
from support import SystemTest, original_of, run


class SessionSettings(SystemTest):
    def test_places_memcached(self):
        """Sessions of the handler "memcached" lie on the servers that pecl/memcached chooses, by each ring, weight, prefix and replica, and end as its do"""
        self.compare("memcached", 480)

    def test_places_memcache(self):
        """Sessions of the handler "memcache" lie on the servers that pecl/memcache chooses, the same copy is read first, and they end as its do"""
        self.compare("memcache", 600)

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
