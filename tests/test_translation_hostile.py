"""What is stored over a socket may say anything of itself. No entrance crashes on it, or takes more memory than it may."""

import os
import random
import struct
import unittest
import zlib

from servers import Server
from support import SystemTest

ITEMS = 3000
MEMORY_LIMIT = 64 << 20
READERS = ["apcu", "cache", "memcached", "memcached-json_array", "memcache"]

OBJECT = b'O:8:"Tempting":1:{s:1:"a";a:1:{i:0;i:1;}}'
IGBINARY_OBJECT = b"\0\0\0\x02\x17\x08Tempting\x14\x01\x11\x01a\x14\x00"
MSGPACK_OBJECT = b"\x82\xc0\xa8Tempting\xa1a\x90"
# By the flags that their writers give them.
SEEDS = {
    0: [b"", b"text", b"\x04\x08i\x0a", b"9 "],
    1: [b"1", b"0", b"-5", b"9 ", b"99999999999999999999", OBJECT, b"i:5;", b"N;", b"\x04\x08i\x0a"],
    2: [b"1.5", b"1e400", b"NAN", b"-Infinity", zlib.compress(b"text")],
    3: [b"", b"1", zlib.compress(OBJECT)],
    4: [b'a:2:{i:0;i:1;s:1:"k";a:1:{i:0;N;}}', b"a:99999999:{i:0;i:1;}", b's:99999999:"x";', b"d:INF;", b"r:1;", b"R:1;", OBJECT,
        b'a:2:{i:0;O:8:"stdClass":0:{}i:1;R:2;}', b'C:11:"ArrayObject":21:{x:i:0;a:0:{};m:a:0:{}}'],
    5: [b"\0\0\0\x02\x14\x01\x06\x00\x06\x01", IGBINARY_OBJECT, b"\0\0\0\x02\x16\xff\xff\xff\xff", b"\0\0\0\x02\x01\x00"],
    6: [b"[" * 600, b'{"a":{"b":[1,2.5,null,true]}}', b'[1,"\\ud800"]', b"1e999"],
    7: [b"\x93\x01\xa1a\xc0", b"\xdd\xff\xff\xff\xff", b"\xdf\x7f\xff\xff\xff\x01\x02", b"\xdb\xff\xff\xff\xff", MSGPACK_OBJECT],
    0x100: [b"0", b"1"], 0x300: [b"42", b"\0\0\0\0\0\0\0\x07"], 0x700: [b"0.1"],
}  # fmt: skip
# Types of both families, every compression alone and with others, what neither has, and the application's bits.
FLAGS = [*range(17), 0x20, 0x30, 0x31, 0x34, 0x35, 0x36, 0x37, 0x40, 0x50, 0x51, 0x53, 0x54, 0x55, 0x56, 0x57, 0x70, 0x90, 0x94, 0xF4, 0x100, 0x102, 0x300, 0x301,
         0x700, 0x703, 0xF00, 0xFF00, 0x10001, 0x30004, 0xFFFF0006, 0xFFFFFFFF]  # fmt: skip


def packed(chance, flags, data):
    """The data in one of the forms of the flags, with a correct or wrong length."""
    claimed = chance.choice([len(data)] * 6 + [len(data) + 1, 0, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF])
    header = struct.pack("<I", claimed)
    form = chance.randrange(6)
    if form == 0:
        return flags | 0x30, header + zlib.compress(data)
    if form == 1:
        # Literal runs, as FastLZ has them.
        runs = [data[at : at + 32] for at in range(0, len(data), 32)]
        return flags | 0x50, header + b"".join(bytes([len(run) - 1]) + run for run in runs)
    if form == 2:
        return 3 if flags == 4 else 2, zlib.compress(data)
    return flags, data


def item(chance):
    """Flags and bytes as an honest writer stores them, then perhaps damaged, perhaps under other flags."""
    flags = chance.choice(list(SEEDS))
    data = bytearray(chance.choice(SEEDS[flags]))
    damage(chance, data, 0.3)
    flags, data = packed(chance, flags, bytes(data))
    data = bytearray(data)
    damage(chance, data, 0.2)
    if chance.random() < 0.3:
        flags = chance.choice(FLAGS) if chance.random() < 0.8 else chance.randrange(1 << 32)
    return flags, bytes(data)


def damage(chance, data, share):
    while data and chance.random() < share:
        at = chance.randrange(len(data))
        if chance.random() < 0.2:
            del data[at:]
        elif chance.random() < 0.5:
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at] = chance.randrange(256)


class Hostile(SystemTest):
    def setUp(self):
        super().setUp()
        self.php("<?php echo (int) apcu_store('made', 1);")
        self.server = Server(self, "leveret", arena=self.arena())

    def ours(self, **more):
        return super().ours(leveret__provide="apcu,memcached,memcache", memory_limit=MEMORY_LIMIT, **more)

    def store(self, items):
        said = b"".join(b"set %d %d 0 %d noreply\r\n%s\r\n" % (key, flags, len(data), data) for key, (flags, data) in enumerate(items))
        self.server.talk(said + b"mn\r\n", end=b"MN\r\n")

    def read(self, reader, count, **ini):
        told = self.php("hostile.php", reader, "apcu", count, provider=self.ours(**ini), extensions=("igbinary", "msgpack"))
        self.assertEqual(count, sum(told["types"].values()))
        self.assertLessEqual(told["peak"], MEMORY_LIMIT)
        self.assertLess(told["resident"], 4 * MEMORY_LIMIT, "memory outside PHP's own")
        return told

    def test_flags_and_bytes_that_lie(self):
        """random flags on random, damaged and lying bytes end no reader of any entrance, and stay within memory_limit"""
        seed = int(os.environ.get("LEVERET_SEED", random.randrange(1 << 32)))
        self.remark(f"LEVERET_SEED={seed}")
        chance = random.Random(seed)
        self.store([item(chance) for _ in range(ITEMS)])
        for reader in READERS:
            types = self.read(reader, ITEMS)["types"]
            self.assertLess({"array", "string", "int", "float", "bool", "Tempting"}, set(types), "the honest ones are read")

    def test_bombs(self):
        """what is small and becomes larger than the memory of a request is a miss"""
        megabyte = bytes(1 << 20)
        deflated = zlib.compressobj(9)
        bomb = b"".join(deflated.compress(megabyte) for _ in range(200)) + deflated.flush()
        # A literal, then matches of 264 bytes at distance 1.
        fast = b"\0x" + b"\xe0\xff\0" * 300_000
        self.store([(2, bomb), (3, bomb), (0x30, struct.pack("<I", 200 << 20) + bomb), (0x50, struct.pack("<I", 3 + 264 * 300_000) + fast)])
        for reader in READERS:
            self.assertNotIn("string", self.read(reader, 4)["types"])

    def test_claims(self):
        """what asks for far more memory than it has bytes is a miss, and does not end the script by memory_limit"""
        claims = [
            (4, b"a:100000:{i:0;" * 200 + b"N;" * 300_000),
            (4, b'a:2:{i:0;O:8:"stdClass":0:{}i:1;' + b"a:60000:{i:0;" * 200 + b"N;" * 300_000),
            (4, b'O:8:"stdClass":90000:{i:0;' * 100 + b"N;" * 300_000),
            (4, b'a:1:{i:0;C:11:"ArrayObject":700000:{x:i:0;' + b"a:90000:{i:0;" * 100 + b" " * 700_000),
            (4, b"a:200000:{" + b"".join(b"i:%d;a:1:{i:0;N;}" % number for number in range(200_000)) + b"}"),
            (5, b"\0\0\0\x02\x16" + struct.pack(">I", 200_000) + b"".join(b"\x0a" + struct.pack(">I", number) + b"\x14\x01\x06\x00\x00" for number in range(200_000))),
            (6, b"[" + b",".join([b"[0]"] * 400_000) + b"]"),
            (6, b"[" + b",".join([b'{"a":0}'] * 200_000) + b"]"),
            (7, b"\xdd" + struct.pack(">I", 400_000) + b"\x91\x00" * 400_000),
            (7, b"\xdd\0\x0c\0\0" * 300 + b"\0" * 800_000),
        ]
        self.store(claims)
        for reader in READERS:
            types = self.read(reader, len(claims))["types"]
            self.assertLessEqual(set(types), {"null", "bool", "string"}, f"{reader}: {types}")

    def test_what_msgpack_does_not_survive(self):
        """msgpack's objects and references from a socket are read only if msgpack was chosen; damaged ones never"""
        honest = b"\x92\x01\x81\xa1k\xc3"
        twice = b"\x83\xa1a" + b"\x91\x01" + b"\xa1a\xc0\xa1b" + b"\x82\xc0\x01\x00\x02"  # the second takes the place of an array that is named once more
        self.store([(7, honest), (7, MSGPACK_OBJECT), (7, honest + b"\0"), (7, honest[:-1]), (7, b"\x81\x91\x01\x02"), (7, twice)])
        for reader in ("apcu", "cache", "memcached"):
            told = self.read(reader, 6)
            self.assertEqual((1, 0), (told["types"].get("array"), told["woken"]), told)
            told = self.read(reader, 6, leveret__serializer="msgpack", memcached__serializer="msgpack")
            self.assertEqual((1, 3), (told["types"].get("Tempting"), told["woken"]), told)

    def test_allowed_classes(self):
        """no entrance makes an object of a class that leveret.allowed_classes does not name, however it is packed"""
        forms = [(4, OBJECT), (1, OBJECT), (3, zlib.compress(OBJECT)), (0x34, struct.pack("<I", len(OBJECT)) + zlib.compress(OBJECT)), (5, IGBINARY_OBJECT), (7, MSGPACK_OBJECT)]
        self.store(forms)
        for reader in READERS:
            # pecl/memcache, and our class, know no msgpack; with the others it must be chosen.
            chosen = {"leveret__serializer": "msgpack", "memcached__serializer": "msgpack"} if reader in ("apcu", "cache", "memcached") else {}
            good = len(forms) - (not chosen)
            self.assertEqual(good, self.read(reader, len(forms), **chosen)["types"].get("Tempting"), "the bait is good")
            told = self.read(reader, len(forms), leveret__allowed_classes="stdClass")
            self.assertEqual(0, told["woken"])
            self.assertNotIn("Tempting", told["types"])


if __name__ == "__main__":
    unittest.main()
