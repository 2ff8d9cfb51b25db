"""Sessions whose server hangs, dies or closes during a visit: a session that could not be read is not overwritten."""

import socket
import unittest

import session_visits
from servers import Server
from session_visits import AFTER, BEFORE
from support import SystemTest


class Way(session_visits.Way):
    """The way to a memcached. While the file `cut` exists, the server hangs up before a get, and answers what came before it."""

    def __init__(self, test, server):
        self.place, self.cut = test.folder / "way", test.folder / "cut"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.place))
        super().__init__(test, listener, lambda: connected(server), self.hang_up)

    def hang_up(self, said):
        before, get, _ = said.partition(b"get ")
        return before + b"quit\r\n" if get and self.cut.exists() else said


def connected(server):
    there = socket.socket(socket.AF_UNIX)
    there.connect(str(server.socket))
    return there


class SessionFailures(SystemTest):
    def visits(self, *words):
        return session_visits.visits(self, *words)

    def hang(self, path, *servers):
        """Visits of a session while these servers hang."""
        return self.visits("memcache", path, "read", *session_visits.hang(*servers))

    def memcached(self):
        return Server(self, "memcached", unix=True)

    REFUSED = (
        BEFORE
        + "  warning: session_start(): Failed to read session data: memcache (path: PATH)\n"
        + 'failing: [false,[]]\nwritten: false\n'
    )

    def test_hanging(self):
        """While its server hangs no session of the handler "memcache" starts, nothing is written over it, and it is there for the next visit when the server is back"""
        for retry in ("", "&retry_interval=0", "&persistent=0"):
            server = self.memcached()
            self.assertEqual(self.REFUSED + AFTER, self.hang(f"unix://{server.socket}:0?timeout=1{retry}", server), retry)

    def test_hanging_copies(self):
        """If one of two servers hangs, sessions of the handler "memcache" continue from the other copy; without another copy none starts, and nothing is written elsewhere"""
        for hanging in ([0], [1], [0, 1]):
            servers = self.memcached(), self.memcached()
            path = ",".join(f"unix://{server.socket}:0?timeout=1" for server in servers)
            said = self.hang(path, *(servers[number] for number in hanging))
            if len(hanging) == 1:
                self.assertEqual(BEFORE + 'failing: [true,{"n":1}]\nwritten: true\n', said[: said.index("after")])
            else:
                self.assertEqual(self.REFUSED + AFTER, said)

    def test_unread(self):
        """A session that is locked and then cannot be read does not start, by either handler: its lock is released, and it is not overwritten"""
        way = Way(self, self.memcached())
        for handler, path in (("memcache", f"unix://{way.place}:0?timeout=5"), ("memcached", way.place)):
            said = self.visits(handler, path, "read", f"touch {way.cut}", f"rm {way.cut}")
            self.assertIn(f"session_start(): Failed to read session data: {handler}", said)
            self.assertIn('failing: [false,[]]\nwritten: false\n', said)
            self.assertIn(AFTER, said)

    def test_validate(self):
        """In strict mode a session keeps its id while the server does not answer: a new id would lose the session"""
        way = Way(self, self.memcached())
        said = self.visits("memcached", way.place, "validate", f"touch {way.cut}", f"rm {way.cut}")
        self.assertIn("error getting session from memcached", said)
        self.assertNotIn("of another session", said)
        self.assertIn('failing: [false,[]]\nwritten: false\nafter: [true,{"n":1}]\n', said)

    def test_destroy(self):
        """A session that its server does not delete is not said to be destroyed, by either handler"""
        for handler in ("memcache", "memcached"):
            server = self.memcached()
            path = f"unix://{server.socket}:0" if handler == "memcache" else server.socket
            kill = f"kill {server.process.pid}; until grep -q '^State:.Z' /proc/{server.process.pid}/status; do sleep 0.01; done"
            said = self.visits(handler, path, "destroy", kill, "true")
            self.assertIn("warning: session_destroy(): Session object destruction failed\nfalse\n", said)

    def test_arena_closed(self):
        """Where an arena cannot be opened no session starts, by either handler"""
        for handler in ("memcache", "memcached"):
            (self.folder / "closed").write_text("no folder")
            provider = self.ours(leveret__provide=handler, leveret__dir=self.folder / "closed")
            done = self.run_php("session_failures.php", handler, "arena:sessions", "read", "true", "true", provider=provider)
            self.assertEqual(["before: [false,[]]", "failing: [false,[]]", "after: [false,[]]"],
                [line for line in done.stdout.splitlines() if not line.startswith(("  warning", "written"))])


if __name__ == "__main__":
    unittest.main()
