"""The class Memcached: the same calls with pecl/memcached and with ours, on the same real server."""

import subprocess
import unittest

from servers import listens
from support import EXTENSION, PHP, SCRIPTS, SystemTest, run

PEER = ["-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", "extension=memcached.so"]
# What pecl/memcached says of an increment of text in the binary protocol is an accident of its library; we say CLIENT_ERROR.
ACCIDENTS = {"inc text: false code=7 UNKNOWN READ FAILURE": "inc text: false code=9 CLIENT ERROR"}


class MemcachedClass(SystemTest):
    """Everything runs unchanged, whoever provides the class."""

    def setUp(self):
        super().setUp()
        self.socket = self.folder / "memcached.sock"
        self.start(["memcached", "-u", "root", "-t", "1", "-s", str(self.socket)], stderr=subprocess.DEVNULL)
        self.wait_for("memcached's socket", lambda: listens(self.socket))

    def peer(self, script, *words):
        return [PHP, "-n", *PEER, str(SCRIPTS / script), *map(str, words)]

    def own(self, script, *words):
        ours = ["-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", f"extension={EXTENSION}",
                "-d", "leveret.provide=memcached", "-d", f"leveret.dir={self.arenas}"]
        check = "if (!extension_loaded('leveret') || (new ReflectionExtension('memcached'))->getVersion() !== '3.3.0') exit(9);"
        self.assertEqual(0, run([PHP, "-n", *ours, "-r", check]).returncode, "the class is not ours")
        return [PHP, "-n", *ours, str(SCRIPTS / script), *map(str, words)]

    def lines(self, command):
        done = run(command)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return [ACCIDENTS.get(line, line) for line in done.stdout.splitlines()]

    def test_text(self):
        """each call of Memcached answers as pecl/memcached's, in the text protocol"""
        want = self.lines(self.peer("memcached_calls.php", self.socket, 0))
        self.assertGreater(len(want), 100)
        self.assertEqual(want, self.lines(self.own("memcached_calls.php", self.socket, 0)))
        self.remark(f"{len(want)} calls compared")

    def test_binary(self):
        """each call of Memcached answers as pecl/memcached's, in the binary protocol"""
        want = self.lines(self.peer("memcached_calls.php", self.socket, 1))
        self.assertGreater(len(want), 100)
        self.assertEqual(want, self.lines(self.own("memcached_calls.php", self.socket, 1)))


if __name__ == "__main__":
    unittest.main()
