"""Sessions whose server hangs, dies or hangs up in the middle of a visit: what could not be read is not written over."""

import os
import socket
import threading
import unittest

from servers import Server
from support import SystemTest

BEFORE = 'before: [true,[]]\n'
AFTER = 'after: [true,{"n":1}]\n'


class Way(threading.Thread):
    """The way to a server. While the file `cut` is there, it ends before a get: what goes before that is still answered."""

    def __init__(self, test, server):
        super().__init__(daemon=True)
        self.server, self.place, self.cut = server, test.folder / "way", test.folder / "cut"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.place))
        self.listener.listen()
        test.addCleanup(self.listener.close)
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # the test is over
            there = socket.socket(socket.AF_UNIX)
            there.connect(str(self.server.socket))
            for source, target in ((client, there), (there, client)):
                threading.Thread(target=self.forward, args=(source, target), daemon=True).start()

    def forward(self, source, target):
        while said := source.recv(65536):
            before, get, rest = said.partition(b"get ")
            if get and self.cut.exists():
                # The server hangs up by itself when it has answered what goes before.
                target.sendall(before + b"quit\r\n")
            else:
                target.sendall(said)
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # has ended as well


class SessionFailures(SystemTest):
    def visits(self, handler, path, what, fail, mend):
        done = self.run_php("session_failures.php", handler, path, what, fail, mend, provider=self.ours(leveret__provide=handler))
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    def hang(self, path, *servers):
        """Visits of a session while these servers hang."""
        pids = [str(server.process.pid) for server in servers]
        stop = f"kill -STOP {' '.join(pids)}; for pid in {' '.join(pids)}; do until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done; done"
        return self.visits("memcache", path, "read", stop, f"kill -CONT {' '.join(pids)}")

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
        """Where one of two servers hangs sessions of the handler "memcache" go on from the other copy; where there is no other copy none starts, and nothing is written elsewhere"""
        for hanging in ([0], [1], [0, 1]):
            servers = self.memcached(), self.memcached()
            path = ",".join(f"unix://{server.socket}:0?timeout=1" for server in servers)
            said = self.hang(path, *(servers[number] for number in hanging))
            if len(hanging) == 1:
                self.assertEqual(BEFORE + 'failing: [true,{"n":1}]\nwritten: true\n', said[: said.index("after")])
            else:
                self.assertEqual(self.REFUSED + AFTER, said)

    def test_unread(self):
        """A session that is locked and then cannot be read does not start, by either handler: its lock is given back, and nothing is written over it"""
        way = Way(self, self.memcached())
        for handler, path in (("memcache", f"unix://{way.place}:0?timeout=5"), ("memcached", way.place)):
            said = self.visits(handler, path, "read", f"touch {way.cut}", f"rm {way.cut}")
            self.assertIn(f"session_start(): Failed to read session data: {handler}", said)
            self.assertIn('failing: [false,[]]\nwritten: false\n', said)
            self.assertIn(AFTER, said)

    def test_validate(self):
        """A visitor in strict mode keeps his id while the server does not say whether it knows it: a new one would be his cookie, and his session lost"""
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
