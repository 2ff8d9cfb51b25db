"""One item, every entrance: what each entrance stores, each other reads as the right type. Real php-memcached and php-memcache
take part through `leveret serve`; what they read there is what they would read from a real memcached."""

import json
import subprocess
import unittest

from servers import Server
from support import COMMAND, PATIENCE, PHP, SCRIPTS, Provider, SystemTest, run

NATIVE = ["apcu", "cache"]
MEMCACHED = ["memcached-php", "memcached-php-zlib", "memcached-php-plain", "memcached-json", "memcached-igbinary", "memcached-msgpack-zlib"]
MEMCACHE = ["memcache", "memcachepool"]
NEAR = ["near-memcached-php", "near-memcache"]
REMOTE = [f"remote-{kind}" for kind in [*MEMCACHED, *MEMCACHE]]

# Scalars of the native entrances are text to every client of the wire: flags 0.
AS_TEXT = {
    "int": "42", "negative": "-7", "zero": "0", "max": "9223372036854775807", "min": "-9223372036854775808", "float": "1.5",
    "tiny": "-1.2345678901234567E-308", "whole": "3", "inf": "INF", "-inf": "-INF", "true": "1", "false": "", "null": "",
}
COMPOSED = ["list", "none", "nested", "rows", "object", "objects"]


class Translation(SystemTest):
    def setUp(self):
        super().setUp()
        self.php("<?php echo (int) apcu_store('made', 1);")
        self.server = Server(self, "leveret", arena=self.arena())

    def ours(self, **more):
        modules = {"leveret.provide": "apcu,memcached,memcache", "memory_limit": "256M"}
        return Provider("leveret", {**super().ours().ini, **modules}).with_ini(**more)

    def command(self, verb, kind, *writers, server=None):
        """Entrances of ours work on the arena, remote ones are Debian's and ask a server. "near" ones are ours and are told the
        server's address: they find its arena."""
        if not kind.startswith("remote-"):
            place = self.server.address if kind.startswith("near-") else "arena:apcu"
            words = [verb, kind.removeprefix("near-"), place, *writers]
            return self.php_command("translation.php", *words, extensions=("igbinary", "msgpack"))
        extensions = ["igbinary.so", "msgpack.so", "memcached.so"] if "memcached" in kind else ["memcache.so"]
        loaded = [word for extension in extensions for word in ("-d", f"extension={extension}")]
        address = (server or self.server).address
        return [PHP, "-n", *loaded, str(SCRIPTS / "translation.php"), verb, kind.removeprefix("remote-"), address, *writers]

    def write(self, kinds, **on):
        for kind in kinds:
            done = run(self.command("write", kind, kind, **on))
            self.assertEqual((0, "[]"), (done.returncode, done.stdout), f"{kind}: {done.stderr}")

    def read(self, kind, writers, **on):
        done = run(self.command("read", kind, *writers, **on))
        self.assertEqual(0, done.returncode, f"{kind}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def compare(self, reader, writer, want, got):
        self.compared += len(want)
        wrong = {name: (value, want[name]) for name, value in got.items() if value != want[name]}
        self.assertEqual({}, wrong, f"{reader} reads what {writer} stored: (got, wanted)")

    def test_every_entrance_reads_every_other(self):
        """what one PHP process stored through any entrance, another reads through each of ours with its type"""
        writers = [*NATIVE, *MEMCACHED, *MEMCACHE, *NEAR, *REMOTE]
        self.write(writers)
        self.compared = 0
        for reader in [*NATIVE, "memcached-php", "memcached-json_array", *MEMCACHE, *NEAR]:
            got = self.read(reader, writers)
            for writer in writers:
                want = dict(got["want"])
                if "json" in writer:
                    # JSON has no classes. SERIALIZER_JSON makes stdClass of every map; all else of ours makes arrays.
                    want = got["want of JSON as objects" if reader.endswith("memcached-php") else "want of JSON as arrays"]
                if writer.endswith(tuple(MEMCACHE)):
                    # pecl/memcache writes a float with as many digits as the directive `precision` says.
                    want["tiny"] = "-1.2345678901235E-308"
                if writer.startswith("remote-") and "msgpack" in writer:
                    # msgpack's objects from a socket are read only if msgpack was chosen.
                    self.assertTrue(all(got[writer][name].startswith(("false", "missing")) for name in ("object", "objects")), got[writer])
                    want.update({name: got[writer][name] for name in ("object", "objects")})
                if reader.endswith(tuple(MEMCACHE)):
                    # A stored null is no value to pecl/memcache: the original's get answers false, and ours.
                    want["null"] = "false"
                self.compare(reader, writer, want, got[writer])
        self.remark(f"{self.compared} values compared")

    def test_remote_clients_read_the_classes_as_the_originals(self):
        """real php-memcached and php-memcache read through the server what they would read from memcached, had the original stored it"""
        memcached = Server(self, "memcached")
        self.write(REMOTE, server=memcached)
        writers = [*MEMCACHED, *MEMCACHE, *REMOTE]
        self.write(writers)
        self.compared = 0
        for reader in ["remote-memcached-php", "remote-memcached-json_array", "remote-memcache"]:
            original = self.read(reader, REMOTE, server=memcached)
            got = self.read(reader, writers)
            for writer in writers:
                want = original[writer if writer in REMOTE else f"remote-{writer}"]
                if reader == "remote-memcache" and "memcached" in writer:
                    # It takes what pecl/memcached has compressed for a text. Two compressors write different bytes.
                    want |= {name: got[writer][name] for name in ["long", "rows"]}
                self.compare(reader, writer, want, got[writer])
        self.remark(f"{self.compared} values compared")

    def test_remote_clients_read_native_values(self):
        """real clients read native strings as they are, scalars as text, and arrays where they have the serializer"""
        plain = "memcached-php-plain"
        self.write([*NATIVE, plain])
        for reader in ["remote-memcached-php", "remote-memcache"]:
            got = self.read(reader, [*NATIVE, plain])
            want = {**got["want"], **{name: f"'{text}'" for name, text in AS_TEXT.items()}}
            wants = dict.fromkeys(NATIVE, want)
            if reader == "remote-memcache":
                # Plain arrays and objects come in PHP's format, as pecl/memcached stores them: texts to pecl/memcache.
                wants = dict.fromkeys(NATIVE, want | {name: got[plain][name] for name in COMPOSED})
                self.assertTrue(all(text.startswith(("'a:", "'O:", "string ")) for text in (got[plain][name] for name in COMPOSED)), got[plain])
            self.compared = 0
            for writer in NATIVE:
                self.compare(reader, writer, wants[writer], got[writer])

    def test_compact_arrays_are_told_alike(self):
        """a plain array is the same text and length to each kind of request and to `leveret get`; what is appended joins that text"""
        self.php("<?php echo (int) apcu_store(['small' => ['k' => 1.5, 'l' => [1, null]], 'large' => array_fill(0, 100000, 'again')]);")
        large = b"a:100000:{" + b"".join(b'i:%d;s:5:"again";' % index for index in range(100000)) + b"}"
        texts = [(b"small", b'a:2:{s:1:"k";d:1.5;s:1:"l";a:2:{i:0;i:1;i:1;N;}}'), (b"large", large)]
        # Rows with keys of any length: the text repeats what the form has once.
        lengths = [1, 64, 65, 127, 128, 129, 300, 5000]
        self.php("<?php $l = [%s]; foreach ($l as $n) $rows[\"keys$n\"] = array_fill(0, 300, [str_repeat('k', $n) => 1, 'b' => null]); echo count(apcu_store($rows));"
                 % ", ".join(map(str, lengths)))
        for length in lengths:
            row = b'a:2:{s:%d:"%s";i:1;s:1:"b";N;}' % (length, b"k" * length)
            texts.append((b"keys%d" % length, b"a:300:{" + b"".join(b"i:%d;%s" % (index, row) for index in range(300)) + b"}"))
        for key, text in texts:
            self.assertEqual(b"VALUE %s 4 %d\r\n%s\r\nEND\r\n" % (key, len(text), text), self.server.talk(b"get %s\r\n" % key))
            self.assertEqual(b"VA %d s%d f4\r\n%s\r\nMN\r\n" % (len(text), len(text), text), self.server.talk(b"mg %s s f v\r\nmn\r\n" % key, end=b"MN\r\n"))
            self.assertEqual(b"HD s%d f4\r\nMN\r\n" % len(text), self.server.talk(b"mg %s s f\r\nmn\r\n" % key, end=b"MN\r\n"))
            told = subprocess.run([COMMAND, "get", "--arena", self.arena(), key.decode()], capture_output=True, check=True, timeout=PATIENCE)
            self.assertEqual(text, told.stdout)
        self.assertEqual(b"STORED\r\n", self.server.talk(b"append small 0 0 1\r\nx\r\n", end=b"\r\n"))
        joined = b'a:2:{s:1:"k";d:1.5;s:1:"l";a:2:{i:0;i:1;i:1;N;}}x'
        self.assertEqual(b"VALUE small 4 %d\r\n%s\r\nEND\r\n" % (len(joined), joined), self.server.talk(b"get small\r\n"))

    def test_command_and_restore(self):
        """`leveret set --flags`, and a dump that `leveret restore` stores elsewhere, are read with the types that the flags say"""
        self.leveret("set", "--arena", self.arena(), "--flags", 4, "shell", 'a:1:{s:1:"k";d:1.5;}')
        self.php("<?php $m = new Memcached; $m->addServer('arena:apcu', 0); echo json_encode($m->setMulti(['int' => 5, 'long' => str_repeat('abc', 5000)]));", provider=self.ours())
        dump = self.folder / "dump"
        arena = ["--arena", self.arena()]
        with dump.open("wb") as items:
            subprocess.run([COMMAND, "dump", *arena], stdout=items, stderr=subprocess.DEVNULL, check=True, timeout=PATIENCE)
        self.php("<?php echo json_encode(apcu_clear_cache());")
        with dump.open() as items:
            subprocess.run([COMMAND, "restore", "--create", *arena], stdin=items, capture_output=True, check=True, timeout=PATIENCE)
        read = "<?php $all = apcu_fetch(['shell', 'int', 'long']); $all['long'] = strlen($all['long']); ksort($all); echo json_encode($all);"
        self.assertEqual({"int": 5, "long": 15000, "shell": {"k": 1.5}}, self.php(read))

    def test_counting_over_a_socket(self):
        """an int that a remote php-memcached or php-memcache stored is counted by apcu_inc, stays an int for all, and counts on"""
        for extension, count in [
            ("memcached", "$c = new Memcached; $c->addServer($argv[1], (int) $argv[2]);"),
            ("memcache", "$c = new MemcachePool; $c->addServer($argv[1], (int) $argv[2]);"),
        ]:
            loaded = [word for name in ("igbinary", "msgpack", extension) for word in ("-d", f"extension={name}.so")]
            ours = "<?php $c = new Leveret\\Cache('apcu'); echo json_encode([apcu_inc('n', 2), $c->increment('n', -10), apcu_cas('n', 2, 5), apcu_fetch('n')]);"
            remote = [PHP, "-n", *loaded, "-d", "error_reporting=24575", "-r"]  # without deprecations
            address = ["--", *self.server.address.split(":")]
            self.assertEqual("true", run([*remote, f"{count} echo json_encode($c->set('n', 10));", *address]).stdout)
            self.assertEqual([12, 2, True, 5], self.php(ours))
            self.assertEqual("[5,6,6]", run([*remote, f"{count} echo json_encode([$c->get('n'), $c->increment('n'), $c->get('n')]);", *address]).stdout)
            self.assertEqual(6, self.php("<?php echo json_encode(apcu_fetch('n'));"))


if __name__ == "__main__":
    unittest.main()
