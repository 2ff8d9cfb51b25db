"""PHP sessions by the handler "memcache" under php-fpm: visitors at the same time, and workers killed while they hold a session."""

import unittest

from servers import Server
from support import original_of
from test_sessions import Page, Site

# Longer than any test, for a lock that no visit may wait for; and the shortest.
FOR_EVER, BRIEFLY = {"memcache.lock_timeout": 3600}, {"memcache.lock_timeout": 1}


class MemcacheSessions(Site):
    def page(self, provider=None, name="site"):
        return Page(self, provider or self.ours(leveret__provide="apcu,memcache"), name, handler="memcache")

    def original(self):
        return self.page(original_of("memcache"), "original")

    def path(self, kind, unix=False, **more):
        """The save path of a new server."""
        server = Server(self, kind, *(["-a", "777"] if unix else []), unix=unix, **more)
        return f"unix://{server.socket}:0" if unix else f"tcp://{server.address}?persistent=1&timeout=5"

    def test_together_servers(self):
        """Visitors of one session at the same time are each counted once on memcached and `leveret serve`, over TCP and Unix sockets"""
        page = self.page()
        for kind in ("memcached", "leveret"):
            for unix in (False, True):
                self.visit_together((page, self.path(kind, unix)))

    def test_together_arena(self):
        """Visitors of one session at the same time are each counted once on an arena"""
        self.visit_together((self.page(), "arena:sessions"))

    def test_together_with_the_original(self):
        """Visitors of pecl/memcache, of ours, and of ours on the arena of their server exclude each other: each is counted once"""
        ours = self.page()
        ours.visit("arena:sessions", "first")  # so that the arena belongs to the pages' user, before root's server comes to it
        address = self.path("leveret", arena=self.arena("sessions"))
        self.visit_together((ours, "arena:sessions"), (self.original(), address), (ours, address))

    def test_prefix(self):
        """The prefix of a site's sessions is that of php.ini: a script's setting comes too late, as with pecl/memcache"""
        for number, provider in enumerate((original_of("memcache"), self.ours(leveret__provide="memcache"))):
            page = self.page(provider.with_ini(memcache__session_prefix_static_key="site-"), f"prefix{number}")
            server = Server(self, "memcached")
            path = f"tcp://{server.address}?timeout=5"
            for id, settings in (("a", {}), ("b", {"memcache.session_prefix_static_key": "late-"}), ("c", {"memcache.session_prefix_host_key": 1}), ("d", {})):
                self.assertEqual(1, page.visit(path, id, settings))
            self.assertEqual(b"HD\r\n" * 4 + b"MN\r\n", server.talk(b"mg site-a\r\nmg site-b\r\nmg site-c\r\nmg site-d\r\nmn\r\n", end=b"MN\r\n"))

    def test_killed_on_arena(self):
        """On an arena the lock of a session ends with its worker: the next visit does not wait, and no write is lost"""
        page = self.page()
        self.assertEqual(1, page.visit("arena:sessions", "a"))
        page.hold_and_kill("arena:sessions", "a", FOR_EVER)
        self.assertEqual(2, page.visit("arena:sessions", "a", FOR_EVER))

    def test_killed_on_server(self):
        """On a server the lock of a killed worker lasts memcache.lock_timeout seconds, then the next visit continues; no write is lost"""
        page = self.page()
        for path in (self.path("memcached"), self.path("leveret", unix=True)):
            self.assertEqual(1, page.visit(path, "a", BRIEFLY))
            page.hold_and_kill(path, "a", BRIEFLY)
            self.assertEqual(2, page.visit(path, "a", BRIEFLY))


if __name__ == "__main__":
    unittest.main()
