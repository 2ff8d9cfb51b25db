"""Hosts with the originals and hosts with ours on the same servers: written bytes, read values, and the effect of settings."""

import subprocess
import unittest

from servers import listens
from support import SystemTest, original_of, run

SERIALIZERS = ("igbinary", "msgpack")
ENDS = ["unset", "exit", "add", "cas", "replace", "touch", "count", "append", "get", "setMulti", "quit", "reset", "off", "binary", "flushBuffers"]


class MixedValues(SystemTest):
    def setUp(self):
        super().setUp()
        self.socket = self.folder / "memcached.sock"
        self.start(["memcached", "-u", "root", "-t", "1", "-s", str(self.socket)], stderr=subprocess.DEVNULL)
        self.wait_for("memcached's socket", lambda: listens(self.socket))

    def lines(self, provider, script, *words):
        extensions = SERIALIZERS if provider.name == "leveret" else ()
        done = run(self.php_command(script, self.socket, *words, provider=provider, extensions=extensions))
        # PHP's allocator finds by the end what 3.3 of the original has done to its memory where a class could not be loaded.
        self.is_whole = provider.name == "leveret" or "zend_mm_heap corrupted" not in done.stderr
        if self.is_whole:
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            self.assertEqual("", done.stderr)
        return done.stdout.splitlines()

    def providers(self, name):
        return original_of(name), self.ours(leveret__provide=name)

    def compare(self, name, at_least, script, *words):
        original, ours = self.providers(name)
        want = self.lines(original, script, *words)
        is_whole, got = self.is_whole, self.lines(ours, script, *words)
        if not is_whole:
            self.remark(f"{words}: the original got as far as line {len(want)} of {len(got)}")
            got = got[: len(want)]
        self.assertGreater(len(want), at_least)
        self.assert_same(want, got, words)
        return len(want)

    def assert_same(self, want, got, what):
        self.assertEqual([], [pair for pair in zip(want, got) if pair[0] != pair[1]][:10], f"(the original's, ours) {what}")
        self.assertEqual(len(want), len(got), what)

    def test_lost_writes(self):
        """OPT_BUFFER_WRITES queues sets and deletes only, and loses none of them, however it ends"""
        original, ours = self.providers("memcached")
        for end in ENDS:
            want = self.lines(original, "memcached_buffers.php", end)
            self.assertEqual([*range(3), 33, *range(4, 10)], self.kept(), f"by the original: {end}")
            self.assert_same(want, self.lines(ours, "memcached_buffers.php", end), end)
            self.assertEqual([*range(3), 33, *range(4, 10)], self.kept(), f"by ours: {end}")

    def kept(self):
        """How many of the ten sets the server has received."""
        code = """<?php
            $m = new Memcached; $m->addServer($argv[1], 0);
            echo json_encode(array_values($m->getMulti(array_map(fn($n) => "k$n", range(0, 9)), Memcached::GET_PRESERVE_ORDER)));"""
        return self.php(code, str(self.socket), provider=original_of("memcached"))

    def test_written_by_one_read_by_the_other(self):
        """flags, floats, counters and sizes are the original's; each reads the other's values, and ours are not larger"""
        script = "memcached_written.php"
        original, ours = self.providers("memcached")
        written = {}
        for writer in (original, ours):
            told = self.lines(writer, script, "write")
            read = [self.lines(reader, script, "read") for reader in (original, ours)]
            sizes = dict(line.rsplit(" ", 1) for line in self.lines(original, script, "sizes"))
            self.assert_same(*read, f"written by {writer.name}")
            written[writer.name] = (told, read[0], sizes)
        (told, read, sizes), (own_told, own_read, own_sizes) = written["memcached"], written["leveret"]
        self.assertGreater(len(told), 200)
        self.assert_same(told, own_told, "written")
        self.assert_same(read, own_read, "read")
        for name, size in sizes.items():
            more = 1.01 if name.startswith("fastlz") else 1.04
            self.assertLessEqual(int(own_sizes[name]), int(size) * more + 8, name)
        self.remark(f"{len(told)} lines and {2 * len(read)} values compared")

    def test_surface(self):
        """settings, words of the configuration, objects and life of Memcached are as pecl/memcached's"""
        parts = {"options": 400, "words": 50, "objects": 20, "life": 15}
        count = sum(self.compare("memcached", at_least, "memcached_surface.php", part) for part, at_least in parts.items())
        self.remark(f"{count} lines compared")

    def test_words_that_are_refused(self):
        """where libmemcached ends the script for a word that it does not understand, ours throws, and says which word it was"""
        words = ["--NONSENSE", "nonsense", "--SERVER=", "--SERVER=a:b", "--SERVER=a,b", "--CONNECT-TIMEOUT=-1", "--HASH=none", "--NAMESPACE=\"a b\"",
                 "--DISTRIBUTION=ketama", "--BINARY-PROTOCOL=1", "--BINARY-PROTOCOL --VERIFY-KEY", "--SERVER=localhost:5/?x"]
        lines = self.lines(self.ours(leveret__provide="memcached"), "memcached_surface.php", "words refused", *words)
        self.assertEqual(len(words), len(lines))
        for word, line in zip(words, lines):
            self.assertRegex(line, r": MemcachedException: .* is not understood$", word)
        for word in words[:4]:
            done = run(self.php_command("memcached_surface.php", self.socket, "words refused", word, provider=original_of("memcached")))
            self.assertEqual(255, done.returncode, word)

    def test_memcache(self):
        """what Memcache compresses, and arrays that contain themselves, are as pecl/memcache's"""
        self.remark(f"{self.compare('memcache', 150, 'memcache_surface.php')} lines compared")


if __name__ == "__main__":
    unittest.main()
