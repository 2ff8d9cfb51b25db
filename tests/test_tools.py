"""The modes of memcached-tool: `leveret display|stats|settings|sizes|dump|keys` against Debian's own script, byte by byte."""

import json
import re
import signal
import subprocess
import unittest

from servers import NEWER, Server, both, tool
from support import COMMAND, SystemTest

SCRIPT = "/usr/share/memcached/scripts/memcached-tool"
FILL = b"set a 3 0 5\r\nhello\r\nset b%20c 0 1000 2\r\nhi\r\nset empty 1 0 0\r\n\r\nset long 0 0 3000\r\n" + b"x" * 3000 + b"\r\nmn\r\n"


class Tools(SystemTest):
    def fill(self, server):
        server.talk(FILL, end=b"MN\r\n")

    def same(self, server, mode, *words, sort=False):
        """Ages grow and items move from second to second, so ours is compared between two looks of the script that saw the same."""
        # Statistics keep counting between two requests.
        shape = lambda text: re.sub(r" +[\d.]+$", " N", text, flags=re.M) if mode == "stats" else text
        arrange = (lambda text: sorted(re.split(r"(?m)^(?=add |key=)", text))) if sort else (lambda text: text)

        def shown(program, *words):
            done = tool(program, *words)
            # memcached 1.6.18 dumps nothing while its crawler is still ending the walk before.
            return (arrange(shape(done.stdout)), done.stderr, done.returncode) if done.stdout else None

        def at_one_moment():
            before, ours, after = shown(SCRIPT, server.address, mode, *words), shown(COMMAND, mode, server.address, *words), shown(SCRIPT, server.address, mode, *words)
            # It does not start again in the size classes of this walk either: its dump is partial then.
            in_part = server.kind == "memcached" and mode in ("dump", "keys") and ours != before
            return (before, ours) if ours and before == after and not in_part else None

        want, got = self.wait_for(f"two equal looks at {mode}", at_one_moment)
        self.assertEqual(want, got, f"{mode} of {server.kind}")

    def test_modes(self):
        """each mode prints what memcached-tool prints, of memcached and of leveret serve"""
        for server in both(self):
            self.fill(server)
            for mode in ("display", "stats", "settings", "sizes"):
                self.same(server, mode)
            for mode in ("dump", "keys"):  # its dump comes in the order of a Perl hash
                self.same(server, mode, sort=True)

    @unittest.skipUnless(NEWER, "no newer memcached in build/: ./x test fetches it")
    def test_newer_memcached(self):
        """keys and dump read a memcached that says OK before the first item"""
        server = Server(self, "newer")
        self.fill(server)
        keys = self.wait_for("a walk", lambda: tool(COMMAND, "keys", server.address).stdout.splitlines())
        self.assertEqual(["key=a", "key=b%2520c", "key=empty", "key=long"], sorted(line.split()[0] for line in keys))
        dump = self.wait_for("a walk", lambda: tool(COMMAND, "dump", server.address).stdout)
        self.assertIn("add a 3 0 5\nhello\n", dump)

    def test_unix_socket(self):
        """a Unix socket is a target as well"""
        for server in both(self, unix=True):
            done = tool(COMMAND, "settings", server.socket)
            self.assertEqual(tool(SCRIPT, server.socket, "settings").stdout, done.stdout)
            self.assertEqual(0, tool(COMMAND, "ping", "--timeout", "60s", server.socket).returncode)

    def test_without_a_server(self):
        """an arena answers the same without any server"""
        server = Server(self, "leveret", "-o", "track_sizes")
        self.fill(server)
        arena = server.folder / "cache.arena"
        served = {mode: tool(COMMAND, mode, server.address).stdout for mode in ("display", "sizes")}
        keys = sorted(tool(COMMAND, "keys", server.address).stdout.splitlines())
        self.assertEqual(0, server.kill(signal.SIGTERM))
        without_ages = lambda text: re.sub(r" +\d+s ", " AGE ", text)
        for mode, shown in served.items():
            self.assertEqual(without_ages(shown.split("\n", 1)[1]), without_ages(tool(COMMAND, mode, arena).stdout.split("\n", 1)[1]))
        self.assertEqual([line.split()[0] for line in keys], sorted(line.split()[0] for line in tool(COMMAND, "keys", arena).stdout.splitlines()))
        self.assertIn("curr_items", tool(COMMAND, "stats", arena).stdout)

    def test_restore(self):
        """what is dumped from memcached is restored into an arena, and from there into memcached"""
        memcached, other = Server(self, "memcached"), Server(self, "memcached")
        self.fill(memcached)
        place = ["--dir", self.arenas, "--arena", "copy"]
        dump = self.folder / "dump"
        dump.write_bytes(output_of(COMMAND, "dump", memcached.address))
        with open(dump) as file:
            done = self.restore(file, *place, "--create")
        self.assertEqual((0, "leveret: 4 items stored\n"), done)
        self.assertEqual("hello", tool(COMMAND, "get", "a", *place).stdout.rstrip("\n"))
        dump.write_bytes(output_of(COMMAND, "dump", *place))
        with open(dump) as file:
            self.restore(file, other.address)
        self.assertEqual(b"VALUE a 3 5\r\nhello\r\nVALUE b%20c 0 2\r\nhi\r\nEND\r\n", other.talk(b"get a b%20c\r\n"))
        with open(dump) as file:
            self.assertEqual(1, self.restore(file, other.address)[0], "all items are there already")
        dump.write_text("GET / HTTP/1.0\r\n")
        with open(dump) as file:
            self.assertEqual(2, self.restore(file, *place)[0])

    def restore(self, file, *words):
        done = subprocess.run([str(COMMAND), "restore", *map(str, words)], stdin=file, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stderr

    def test_json_and_errors(self):
        """--json gives objects; what cannot be reached is said in plain words"""
        server = Server(self, "leveret")
        self.fill(server)
        self.assertEqual(4, json.loads(tool(COMMAND, "stats", server.address, "--json").stdout)["curr_items"])
        self.assertEqual({"a", "b%20c", "empty", "long"}, {json.loads(line)["key"] for line in tool(COMMAND, "keys", server.address, "--json").stdout.splitlines()})
        done = tool(COMMAND, "stats", "127.0.0.1:1")
        self.assertEqual(3, done.returncode)
        self.assertIn("is a server running there?", done.stderr)
        self.assertEqual(2, tool(COMMAND, "stats", "127.0.0.1:99999").returncode)


def output_of(*words):
    """Byte by byte: a dump has line ends of its own."""
    return subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=120).stdout


if __name__ == "__main__":
    unittest.main()
