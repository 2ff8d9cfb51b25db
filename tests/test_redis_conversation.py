"""Random conversations with redis-server and `leveret serve --redis`: each reply is the same bytes. LEVERET_SEED=N holds others, LEVERET_CONVERSATIONS=N so many.

Differences by design are left out by name: the order of KEYS and SCAN (compared as sets), remaining times, DBSIZE (it counts expired keys that nobody has met), what OBJECT tells of a key, INFO, INCRBYFLOAT of
sums with more digits than Redis' floats have, and MOVE and COPY between databases beside WATCH, which they end in all databases.
"""

import contextlib
import os
import random
import re
import socket
import unittest

from redis_servers import RawConnection, Refusal, both, followed, request, value_of
from support import SystemTest

CONVERSATIONS = int(os.environ.get("LEVERET_CONVERSATIONS", 2000))
SEED = int(os.environ.get("LEVERET_SEED", 7))
BATCH_MAX = 12
BATCHES = [1, 1, 2, 2, 3, 3, 4, 9]

KEYS = ["a", "b", "c", "d", "e", "f", "key with spaces", "ключ", "", "x" * 300]
NUMBERS = ["0", "1", "-1", "7", "10", "100", "255", "-128", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "01", "-0", "+1", " 1", "1 ", "", "1.5", "abc"]
VALUES = [*NUMBERS, "hello", "Hello World", "grüße", "\0\r\n\xff", "x" * 44, "x" * 45, "y" * 5000, "3.25", "1e3", "-0.5", "ohmytext", "mynewtext"]
INDEXES = ["0", "1", "2", "3", "-1", "-2", "-100", "100", "5", "7", "8", "31", "2147483647", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "x", ""]
TIMES = ["0", "-1", "9223372036854775807", "9223372036854775", "-9223372036854775808", "x", "", "1.5"]
STEPS = ["nan", "inf", "x", "", " 1", "0x"]
NULLS = (b"*-1\r\n", b"_\r\n")
# Inserted into pipelines.
PIECES = [b"\r\n", b"\n", b"\r", b"\0", b" ", b'"', b"'", b"*", b"$", b"*0\r\n", b"*-1\r\n", b"*-7\r\n", b"$-1\r\n", b"$0\r\n\r\n", b"*1\r\n$4\r\nPING\r\n", b"PING\r\n", b"*1\r\n$5\r\nMULTI\r\n", b"EXEC\r\n",
          b"QUIT\r\n", b"*1\r\n$4\r\nQUIT\r\n", b"RESET\r\n", b"*3\r\n", b"$3\r\n", b"$99\r\n", b"*x\r\n", b"+OK\r\n", b":1\r\n", b"%1\r\n", b"POST / HTTP/1.1\r\n", b"Host: x\r\n"]  # fmt: skip
# Version and number of the connection in the reply to HELLO: a value of the same name may become a command.
GREETING = re.compile(rb"\$\d+\r\n[\d.]+\r\n\$5\r\nproto\r\n:\d\r\n\$2\r\nid\r\n:\d+\r\n")
NAMES_OF_TIME = ("ttl", "pttl", "expiretime", "pexpiretime")


class Speaker:
    """Draws commands: most of them right, some with too few words, too many, or words of another kind."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.all = self.ways(), [*self.ways(), *self.rare()]

    def key(self):
        return self.random.choice(KEYS[:6] if self.random.random() < 0.9 else KEYS)

    def of(self, words):
        return self.random.choice(words)

    def time(self):
        """Far enough away and apart that neither the moment of a command nor the clock's tick decides anything."""
        chance = self.random.random()
        return self.of(TIMES) if chance < 0.2 else str(self.random.randint(10**5, 10**8) + (4 * 10**9 if chance < 0.6 else 0))

    def some(self, make, least=1, most=4):
        return [make() for _ in range(self.random.randint(least, most))]

    def maybe(self, *words):
        return list(words) if self.random.random() < 0.4 else []

    def case(self, word):
        return self.of([word, word.upper(), word.title()])

    def options(self, words):
        """Up to three of these options, each with its argument if it has one."""
        chosen = self.random.choices(words, k=self.random.choices([0, 1, 2, 3], [40, 40, 15, 5])[0])
        return [word for option in chosen for word in (self.case(option), *self.argument(option))]

    def argument(self, option):
        return [self.time()] if option in ("ex", "px", "exat", "pxat") else [self.of(INDEXES)] if option == "minmatchlen" else []

    def command(self):
        words = self.of(self.all[self.random.random() < 0.1])(self)
        if self.random.random() < 0.02:
            words = words[: self.random.randint(1, len(words))]
        if self.random.random() < 0.01 and words[0] != "exec":
            words = [*words, self.of(VALUES)]
        return self.case_of(words)

    def case_of(self, words):
        return [self.case(words[0]), *words[1:]]

    def plain_command(self):
        """A command whose reply has one form only."""
        return self.case_of(self.of(PLAIN)(self))

    def pieces(self, commands):
        """Their bytes, in up to four pieces; some commands as a person types them."""
        said = b"".join(self.inline(words) or request(words) for words in commands)
        cuts = sorted(self.random.randrange(len(said)) for _ in range(self.random.randrange(4)))
        return [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)])]

    def inline(self, words):
        if self.random.random() < 0.05 and all(re.fullmatch(r"[\w.*+-]+", word, re.ASCII) for word in words):
            return " ".join(words).encode() + self.of([b"\r\n", b"\n"])
        return None

    def ways(self):
        return [
            *4 * [lambda s: ["set", s.key(), s.of(VALUES), *s.options(["nx", "xx", "get", "ex", "px", "exat", "pxat", "keepttl", "foo"])]],
            *4 * [lambda s: ["get", s.key()]],
            *2 * [lambda s: ["del", *s.some(s.key)]],
            lambda s: ["unlink", *s.some(s.key)], lambda s: ["exists", *s.some(s.key)], lambda s: ["touch", *s.some(s.key)], lambda s: ["mget", *s.some(s.key)],
            lambda s: ["strlen", s.key()], lambda s: ["type", s.key()], lambda s: ["getdel", s.key()], lambda s: ["getset", s.key(), s.of(VALUES)],
            lambda s: ["getex", s.key(), *s.options(["ex", "px", "exat", "pxat", "persist", "foo"])],
            lambda s: ["setex", s.key(), s.time(), s.of(VALUES)], lambda s: ["psetex", s.key(), s.time(), s.of(VALUES)], lambda s: ["setnx", s.key(), s.of(VALUES)],
            lambda s: ["mset", *(word for _ in range(2) for word in (s.key(), s.of(VALUES)))], lambda s: ["msetnx", *(word for _ in range(2) for word in (s.key(), s.of(VALUES)))],
            lambda s: ["append", s.key(), s.of(VALUES) or "more"], lambda s: ["setrange", s.key(), s.of(INDEXES[:11]), s.of(VALUES)],
            lambda s: [s.of(["getrange", "substr"]), s.key(), s.of(INDEXES), s.of(INDEXES)],
            *2 * [lambda s: [s.of(["incr", "decr"]), s.key()]], *2 * [lambda s: [s.of(["incrby", "decrby"]), s.key(), s.of(NUMBERS)]],
            lambda s: ["incrbyfloat", s.key(), s.of(STEPS)], lambda s: ["incrbyfloat", "price", s.of(["0.5", "0.25", "-1.75", "x"])],
            lambda s: [s.of(NAMES_OF_TIME), s.key()], lambda s: ["persist", s.key()],
            lambda s: [s.of(["expire", "pexpire", "expireat", "pexpireat"]), s.key(), s.time(), *s.options(["nx", "xx", "gt", "lt", "foo"])],
            lambda s: ["rename", s.key(), s.key()], lambda s: ["renamenx", s.key(), s.key()],
            lambda s: ["copy", s.key(), s.key(), *s.maybe("db", s.of(["x", "99"])), *s.maybe("replace")], lambda s: ["move", s.key(), s.of(["x", "99"])],
            lambda s: ["getbit", s.key(), s.of(INDEXES)], lambda s: ["setbit", s.key(), s.of(INDEXES[:12]), s.of(["0", "1", "2", "x"])],
            lambda s: ["bitcount", s.key(), *s.maybe(s.of(INDEXES), s.of(INDEXES), *s.maybe(s.of(["byte", "bit", "x"])))],
            lambda s: ["bitpos", s.key(), s.of(["0", "1", "2"]), *s.maybe(s.of(INDEXES), *s.maybe(s.of(INDEXES), *s.maybe(s.of(["byte", "bit", "x"]))))],
            lambda s: ["bitop", s.of(["and", "or", "xor", "not", "nand"]), s.key(), *s.some(s.key, 1, 3)],
            lambda s: [s.of(["bitfield", "bitfield_ro"]), s.key(), *(word for _ in range(s.random.randint(0, 3)) for word in s.field())],
            lambda s: ["lcs", s.key(), s.key(), *s.options(["len", "idx", "minmatchlen", "withmatchlen", "foo"])],
            lambda s: ["keys", s.of(["*", "?", "[a-c]", "[^a]*", "k*", "\\*", "*e*"])], lambda s: ["select", s.of(["0", "0", "0", "1", "2", "-1", "99", "x"])],
            lambda s: [s.of(["ping", "echo"]), *s.some(lambda: s.of(VALUES), 0, 2)], lambda s: [s.of(["nonsense", "gett", "x" * 200, ""]), *s.some(lambda: s.of(VALUES), 0, 3)],
            *3 * [lambda s: ["multi"]], *4 * [lambda s: ["exec"]], lambda s: ["discard"], *2 * [lambda s: ["watch", *s.some(s.key, 1, 3)]], lambda s: ["unwatch"],
            lambda s: ["object", s.of(["refcount", "encoding", "nonsense"]), *s.some(s.key, 0, 2)],
        ]  # fmt: skip

    def rare(self):
        return [
            lambda s: ["flushdb", *s.maybe(s.of(["async", "sync", "foo"]))], lambda s: ["hello", s.of(["2", "3", "4", "x"]), *s.maybe(s.of(["setname", "auth", "Foo", "a\0b"]), *s.maybe(s.of(VALUES)))], lambda s: ["reset"],
            lambda s: ["client", s.of(["getname", "reply", "no-evict", "kill", "x\0y", "nonsense"]), *s.maybe(s.of(["Foo", "a\0b", ""]))], lambda s: ["client", "setname", s.of(VALUES)],
            lambda s: ["client", "list", "type", s.of(["Foo", "Bar\0b", "", "a b"])], lambda s: ["client", "list", "id", s.of(["x", "-1", "", "987654321"])], lambda s: ["auth", *s.some(lambda: s.of(["default", "x", ""]), 0, 3)],
            lambda s: ["config", s.of(["get", "set", "nonsense"]), *s.maybe(s.of(["nonsense", "x\0y", ""]))], lambda s: ["script", s.of(["exists", "nonsense"]), *s.maybe(s.of(["x", ""]))],
        ]  # fmt: skip

    def field(self):
        kind = [self.of(["u1", "u8", "u16", "u63", "u64", "i8", "i64", "i65", "x"]), self.of(["0", "7", "8", "#1", "#0", "-1", "x", "100"])]
        return self.of([["get", *kind], ["set", *kind, self.of(NUMBERS)], ["incrby", *kind, self.of(NUMBERS)], ["overflow", self.of(["wrap", "sat", "fail", "x"])]])


PLAIN = [
    *3 * [lambda s: ["set", s.key(), s.of(VALUES), *s.options(["nx", "xx", "get", "keepttl"])]], *3 * [lambda s: ["get", s.key()]], *3 * [lambda s: ["multi"]], *3 * [lambda s: ["exec"]],
    lambda s: ["del", *s.some(s.key)], lambda s: ["exists", *s.some(s.key)], lambda s: ["mget", *s.some(s.key)], lambda s: ["mset", s.key(), s.of(VALUES), s.key(), s.of(VALUES)],
    lambda s: ["append", s.key(), s.of(VALUES)], lambda s: ["strlen", s.key()], lambda s: ["getrange", s.key(), s.of(INDEXES), s.of(INDEXES)], lambda s: ["setrange", s.key(), s.of(INDEXES[:11]), s.of(VALUES)],
    lambda s: ["incr", s.key()], lambda s: ["decrby", s.key(), s.of(NUMBERS)], lambda s: ["getset", s.key(), s.of(VALUES)], lambda s: ["getdel", s.key()], lambda s: ["rename", s.key(), s.key()],
    lambda s: ["watch", *s.some(s.key)], lambda s: ["unwatch"], lambda s: ["discard"], lambda s: ["ping"], lambda s: ["ping", s.of(VALUES)], lambda s: ["echo", s.of(VALUES)], lambda s: ["select", s.of(["0", "1"])],
    lambda s: ["getbit", s.key(), s.of(INDEXES)], lambda s: ["bitcount", s.key()], lambda s: ["type", s.key()], lambda s: ["reset"], lambda s: ["quit"], lambda s: ["nonsense", s.of(VALUES)],
]  # fmt: skip


def comparable(words, reply):
    """What must be equal of a reply."""
    name = words[0].lower()
    if name == "keys" and isinstance(reply, list):
        return sorted(reply)
    if name in NAMES_OF_TIME and isinstance(reply, int) and reply > 0:
        return "a time"
    if name == "select" and isinstance(reply, Refusal):
        return "an error"  # Redis tells numbers of more than 31 bits apart
    if name == "hello" and not isinstance(reply, Refusal):
        return "a greeting"
    if name == "client" and isinstance(reply, bytes) and reply.startswith(b"id="):
        return "clients"
    if name == "object" and not isinstance(reply, Refusal) and reply is not None:
        return "an encoding or a count"
    return reply


class Side:
    """The commands that a client has queued since MULTI: they name the replies of its EXEC."""

    def __init__(self):
        self.queued = None

    def differs(self, words, theirs, ours):
        """Whether these replies to a command differ. Called for each command of the client, in order."""
        name, queued = words[0].lower(), self.queued
        if theirs == b"+QUEUED\r\n" and queued is not None:
            queued.append(words)
        elif name == "multi" and theirs == b"+OK\r\n":
            self.queued = []
        elif theirs.startswith(b"+RESET") or name in ("exec", "discard") and not theirs.startswith(b"-ERR wrong number"):
            self.queued = None
        if theirs == ours:
            return False
        theirs, ours = value_of(theirs), value_of(ours)
        if name == "exec" and isinstance(theirs, list) and isinstance(ours, list) and queued is not None:
            theirs, ours = ([comparable(words, part) for words, part in zip(queued, parts, strict=True)] for parts in (theirs, ours))
        return comparable(words, theirs) != comparable(words, ours)


@followed
class Conversation(SystemTest):
    def test_random(self):
        """random conversations of two clients get the same replies: values, numbers, bits, times, transactions with WATCH, wrong words, RESP2, RESP3 and inline, cut anywhere"""
        servers = both(self, unix=True)
        clients = [[RawConnection(server) for server in servers] for _ in range(2)]
        commands, given_up, differ = 0, 0, []
        for seed in range(SEED, SEED + CONVERSATIONS):
            compared, has_given_up = self.converse(seed, clients, differ)
            commands += compared
            given_up += has_given_up
        self.remark(f"{CONVERSATIONS} conversations, {commands} commands compared, {given_up} transactions given up, seed {SEED}")
        self.assertEqual([], differ, "\n".join(differ[:10]))
        self.assertLess(given_up, max(10, CONVERSATIONS // 20))

    def converse(self, seed, clients, differ):
        """One conversation, from empty databases on. Returns its number of commands, and whether ours gave up a transaction."""
        speaker, sides, history = Speaker(seed), (Side(), Side()), []
        chance = speaker.random
        versions = [chance.choice(["2", "3"]) for _ in clients]
        # Commands before the first batch of each client.
        begins = [[["RESET"], *([["FLUSHALL"]] if first else []), ["HELLO", version]] for first, version in zip((True, False), versions)]
        for number in range(chance.choice(BATCHES)):
            who = chance.randrange(2) if number else 0
            batch = [speaker.command() for _ in range(chance.randint(1, BATCH_MAX))]
            front, begins[who] = begins[who], []
            # Each server works while the other's replies are read.
            for piece in [b"".join(map(request, front)), *speaker.pieces(batch)]:
                for connection in clients[who]:
                    connection.socket.sendall(piece)
            theirs, ours = (connection.replies(len(front) + len(batch))[len(front) :] for connection in clients[who])
            for words, its, mine in zip(batch, theirs, ours):
                history.append((who, words))
                # A missing watched key shares its count of removals with others: ours may return nil where Redis does not, never the other way.
                if mine in NULLS and its[:1] == b"*" and words[0].lower() == "exec":
                    return len(history), 1
                if sides[who].differs(words, its, mine):
                    before = "\n        ".join(f"{who} {[word[:60] for word in words]}" for who, words in history[-30:])
                    differ.append(f"seed {seed}, versions {versions}: {words!r}\nredis-server: {its[:500]!r}\nours:         {mine[:500]!r}\nbefore: {before}")
                    return len(history), 0
        return len(history), 0

    def test_mutated(self):
        """pipelines with changed, missing, doubled and wrong bytes get the same replies, and the connection ends at the same byte"""
        servers = both(self, unix=True)
        controls, differ = [RawConnection(server) for server in servers], []
        for seed in range(SEED, SEED + CONVERSATIONS):
            speaker = Speaker(seed)
            said = b"".join(speaker.pieces([speaker.plain_command() for _ in range(speaker.random.randint(1, 8))]))
            said = mutated(speaker.random, said)
            for control in controls:
                control.socket.sendall(request(["FLUSHALL"]))
            self.assertEqual([[b"+OK\r\n"]] * 2, [control.replies(1) for control in controls])
            heard = []
            for server in servers:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(30)
                    connection.connect(str(server.socket))
                    with contextlib.suppress(ConnectionError):
                        connection.sendall(said)
                        # The server replies to all complete requests, then it closes: no time-out is needed.
                        connection.shutdown(socket.SHUT_WR)
                    heard.append(all_of(connection))
            if not answered_alike(said, *heard):
                differ.append(f"seed {seed}: {said[:2000]!r}\nredis-server: {heard[0][:1000]!r}\nours:         {heard[1][:1000]!r}")
        self.remark(f"{CONVERSATIONS} pipelines compared, seed {SEED}")
        self.assertEqual([], differ, "\n".join(differ[:10]))


def mutated(chance, said):
    for _ in range(chance.choice([1, 1, 2, 3])):
        begin = chance.randrange(len(said) + 1)
        end = min(len(said), begin + chance.choice([0, 1, 1, 1, 2, 5, 20]))
        piece = chance.choice([b"", said[begin:end] * 2, bytes([chance.randrange(256)]), chance.choice(PIECES), bytes([said[begin] ^ 1 << chance.randrange(8)]) if begin < end else b"0"])
        said = said[:begin] + piece + said[end:]
    return said or b"\n"


def all_of(connection):
    heard = b""
    with contextlib.suppress(ConnectionError):
        while more := connection.recv(1 << 16):
            heard += more
    return heard


def answered_alike(said, theirs, ours):
    """Whether the replies until the end are the same, except greetings and refused commands. To a browser Redis sends not even the replies before."""
    lower = said.lower()
    theirs, ours = (GREETING.sub(b"", heard) for heard in (theirs, ours))
    return theirs == ours or b"-UNSUPPORTED " in ours or (b"post" in lower or b"host:" in lower) and ours.startswith(theirs)


if __name__ == "__main__":
    unittest.main()
