"""An arena that is removed while `leveret serve` and PHP use it: all processes move to the same new one."""

import json
import re
import signal
import threading
import unittest
from pathlib import Path

from servers import Server
from support import AM_ROOT, PATIENCE, SystemTest

# Reads and writes self-describing values until the file `stop` exists; a value that is not what its key says is exit code 3.
LOOP = """<?php
[, $folder] = $argv;
$make = fn(int $i) => "$i:" . str_repeat(md5((string) $i), $i % 40 ? 3 : 3000);
for ($round = $hits = 0; !file_exists("$folder/stop"); $round++) {
    $i = $round % 2000;
    $value = apcu_fetch("php$i", $found);
    if ($found && $value !== $make($i)) { exit(3); }
    $hits += (int) $found;
    apcu_store("php$i", $make($i));
}
echo json_encode($hits);
"""

# A server that has not written before must lock its file for that, and there is none between the removal and its next look.
REMOVED = b"SERVER_ERROR the cache was removed while the server ran\r\n"


class Client(threading.Thread):
    """Stores and reads self-describing values over one connection, small ones and such as are sent straight from the arena."""

    def __init__(self, server, number):
        super().__init__(daemon=True)
        self.connection, self.number = server.connect(), number
        self.stopped, self.hits, self.trouble = threading.Event(), 0, None
        self.start()

    def run(self):
        try:
            turn = 0
            while not self.stopped.is_set():
                turn += 1
                key, value = b"of%d-%d" % (self.number, turn % 50), b"%d:%d " % (self.number, turn % 50)
                value *= 20_000 if turn % 10 == 0 else 10
                self.ask(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), [b"STORED\r\n", REMOVED])
                hit = b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (key, len(value), value)
                self.hits += self.ask(b"get %s\r\n" % key, [b"END\r\n", hit])
        except Exception as trouble:  # it is the test that fails, not this thread
            self.trouble = trouble

    def ask(self, request, answers):
        """Which of these is answered."""
        self.connection.sendall(request)
        heard = b""
        while heard not in answers:
            piece = self.connection.recv(1 << 20)
            heard += piece
            if not piece or not any(answer.startswith(heard) for answer in answers):
                raise AssertionError(f"{len(heard)} bytes: {heard[:100]!r} to {request[:40]!r}")
        return answers.index(heard)

    def end(self):
        self.stopped.set()
        self.join(PATIENCE)


def arena_locked(smaps, arena):
    """Whether a process has mapped the file `arena`, no removed one of that name, and all of it is locked."""
    mappings = re.findall(rf"^\S+ \S+ \S+ \S+ \S+ +{re.escape(str(arena))}( \(deleted\))?$.*?^VmFlags: (.*)$", smaps, re.M | re.S)
    return bool(mappings) and all(not deleted and "lo" in flags.split() for deleted, flags in mappings)


class Removed(SystemTest):
    def setUp(self):
        super().setUp()
        self.load = [self.start_php(LOOP, self.folder) for _ in range(2)]
        self.wait_for("PHP's arena", self.arena().exists)

    def remove(self):
        self.leveret("rm", "apcu", "--force", "--dir", self.arenas)

    def agree(self, server, told, connection=None):
        """What a PHP process stores now is read over the socket, and the other way round."""
        connection = connection or server.connect()
        self.assertTrue(self.php(f"<?php echo json_encode(apcu_store('told', '{told}'));"))
        want = b"VALUE told 0 %d\r\n%s\r\nEND\r\n" % (len(told), told.encode())

        def is_told():
            connection.sendall(b"get told\r\n")
            return connection.recv(1000) == want

        self.wait_for("the server to find PHP's arena", is_told)
        connection.sendall(b"set back 0 0 %d\r\n%s\r\n" % (len(told), told.encode()))
        self.assertEqual(b"STORED\r\n", connection.recv(100))
        self.assertEqual(told, self.php("<?php echo json_encode(apcu_fetch('back'));"))

    def end_load(self):
        (self.folder / "stop").touch()
        for loop in self.load:
            out, said = loop.communicate(timeout=PATIENCE)
            self.assertEqual(0, loop.returncode, said)
            self.assertGreater(json.loads(out), 0)
        self.leveret("verify", "--arena", self.arena())

    def test_under_load(self):
        """removed under load, again and again: PHP and clients find each other in the new arena, over the connections they have"""
        server = Server(self, "leveret", arena=self.arena())
        held = server.connect()
        clients = [Client(server, number) for number in range(4)]
        for number in range(4):
            self.remove()
            self.agree(server, f"round {number}", held)
        for client in clients:
            client.end()
        self.assertEqual([None] * 4, [client.trouble for client in clients])
        self.assertTrue(all(client.hits for client in clients))
        listed = json.loads(self.leveret("list", "--dir", self.arenas, "--json"))
        self.assertIn(f"tcp 127.0.0.1:{server.port}", listed["servers"])
        maps = f"/proc/{server.process.pid}/maps"
        self.wait_for("the memory of the old ones to be let go", lambda: "(deleted)" not in open(maps).read())
        self.end_load()

    @unittest.skipUnless(AM_ROOT, "needs root, to lock more memory than users may")
    def test_stays_locked(self):
        """-k keeps in memory what is served, also the arena that comes after one that was removed"""
        server = Server(self, "leveret", "-k", arena=self.arena())
        maps = f"/proc/{server.process.pid}/smaps"

        def is_locked():
            return arena_locked(Path(maps).read_text(), self.arena())

        self.wait_for("the arena to be locked", is_locked)
        self.remove()
        self.agree(server, "after the removal")
        self.wait_for("the new arena to be locked alone", is_locked)
        self.end_load()

    def test_beside_kills(self):
        """removed right before and right after a server's SIGKILL: the next server and PHP have one arena"""
        for number in range(3):
            server = Server(self, "leveret", arena=self.arena())
            clients = [Client(server, client) for client in range(2)]
            self.agree(server, f"before {number}")
            if number % 2:
                self.remove()
                server.kill(signal.SIGKILL)
            else:
                server.kill(signal.SIGKILL)
                self.remove()
            for client in clients:
                client.end()
        server = Server(self, "leveret", arena=self.arena())
        self.agree(server, "after all")
        self.end_load()


if __name__ == "__main__":
    unittest.main()
