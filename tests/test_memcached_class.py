"""The class Memcached: the same calls with pecl/memcached and with ours, on the same real server."""

import re
import subprocess
import unittest

from servers import listens
from support import EXTENSION, PHP, SCRIPTS, SystemTest, run

PEER = ["-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", "extension=memcached.so"]
# A defect of the original's library, and our answer: it reports sent writes as queued.
ACCIDENTS = [(r"^flush buffers: true code=32 ACTION QUEUED$", "flush buffers: true code=0 SUCCESS")]

# Of version 3.3, whose class this is and which Debian 13 has; Debian 12's is 3.2, Ubuntu 26.04's 3.4.
NEWER = [
    "  public Memcached::COMPRESSION_ZSTD = 3",
    "  public Memcached::OPT_COMPRESSION_LEVEL = -1007",
    "  public Memcached::OPT_ITEM_SIZE_LIMIT = -1008",
    "ini memcached.compression_level = '3', access 7",
    "ini memcached.item_size_limit = '0', access 7",
]
# Debian's build has igbinary as its default; ours uses igbinary if it is loaded. The library's version is that of Debian 12,
# and so is the type of a token, of which ours takes numbers as well.
OTHERWISE = [
    (r"^ini memcached\.serializer = 'igbinary', access 7$", "ini memcached.serializer = '', access 7"),
    (r"LIBMEMCACHED_VERSION_HEX = \d+$", "LIBMEMCACHED_VERSION_HEX = …"),
    (r"\((?:string\|int\|float|string) \$cas_token, ", "(… $cas_token, "),
]
# 3.3 sends keys with control characters in text too, and reads wrong answers after one as "a\0b"; ours refuses them, as 3.2 does (docs/reference/differences.md).
CONTROLS = re.compile(r'^\w+ "(610062|7f)": ')


class MemcachedClass(SystemTest):
    """All tests run unchanged with both providers of the class."""

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
        return [mended(line) for line in done.stdout.splitlines()]

    def compare(self, script, binary, at_least):
        want, got = self.lines(self.peer(script, self.socket, binary)), self.lines(self.own(script, self.socket, binary))
        if not binary and not self.peer_is_of("3.2"):
            want, got = ([line for line in lines if not CONTROLS.match(line)] for lines in (want, got))
        self.assertGreater(len(want), at_least)
        self.assertEqual(want, got)
        self.remark(f"{len(want)} lines compared")

    def test_shape(self):
        """methods, parameters, their types and defaults, constants and directives are pecl/memcached's"""
        want, got = ([mended(line, OTHERWISE) for line in self.lines(of("module_shape.php", "memcached"))] for of in (self.peer, self.own))
        # Whether zstd is there is a matter of how each was built.
        got_older = [line for line in got if line not in NEWER and "HAVE_ZSTD" not in line]
        self.assertGreater(len(want), 200)
        self.assertEqual(want, got_older if self.peer_is_of("3.2") else got)
        self.assertEqual(len(got), len(got_older) + len(NEWER) + 1)
        self.remark(f"{len(want)} lines compared, {len(NEWER) + 1} of ours are of version 3.3 alone")

    def peer_is_of(self, version):
        return run([PHP, "-n", *PEER, "-r", "echo phpversion('memcached');"]).stdout.startswith(f"{version}.")

    def test_text(self):
        """each call of Memcached answers as pecl/memcached's, in the text protocol"""
        self.compare("memcached_calls.php", 0, 100)

    def test_binary(self):
        """each call of Memcached answers as pecl/memcached's, in the binary protocol"""
        self.compare("memcached_calls.php", 1, 100)

    def test_options_text(self):
        """options, keys, callbacks, servers and life of Memcached are as pecl/memcached's, in the text protocol"""
        self.compare("memcached_options.php", 0, 1000)

    def test_options_binary(self):
        """options, keys, callbacks, servers and life of Memcached are as pecl/memcached's, in the binary protocol"""
        self.compare("memcached_options.php", 1, 1000)

    def test_keys(self):
        """append(), prepend() and counters check the key first, as pecl/memcached does"""
        for binary in (0, 1):
            self.compare("memcached_keys.php", binary, 1000)


def mended(line, differences=ACCIDENTS):
    for accident, answer in differences:
        line = re.sub(accident, answer, line)
    return line


if __name__ == "__main__":
    unittest.main()
