"""What no client of Redis should send, and clients that do not read: the server lives, answers others, keeps its memory, and says what Redis says."""

import contextlib
import random
import socket
import time
import unittest

from redis_servers import RedisServer, both, followed, request
from support import SystemTest
from test_server_abuse import drain, receive

POLITE = 8
ROUNDS = 80
READERS = 200
VALUE = 1 << 20

# Each is the first that a connection says; what Redis answers is compared, and whether it hangs up.
WRONG = [
    b"*-10\r\n", b"*0\r\nPING\r\n", b"\r\n\r\nPING\r\n", b"*3000000000\r\n", b"*9223372036854775808\r\n", b"*abc\r\n", b"*1\r\n$-10\r\n", b"*1\r\n$9223372036854775807\r\n",
    b"*1\r\n$blabla\r\n", b"*2\r\nfoo\r\n", b"*1\r\n*1\r\n$4\r\nPING\r\n", b"*1\r\n$2000000000\r\n", b"SET k \"unbalanced\r\n", b"SET k 'two words'\r\nGET k\r\n", b"SET k \"\\x41\\n\"\r\nGET k\r\n",
    b"ping\nping\n", b"GET " + b"k" * 60_000 + b"\r\n", b"x" * 70_000, b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"Host: localhost\r\n", b"+PING\r\n",
    b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", b"*1\r\n$0\r\n\r\n", b"*2\r\n$3\r\nGET\r\n:1\r\n", b"$4\r\nPING\r\n", b"\0\0\0\0\r\nPING\r\n", b"*1\r\n$" + b"1" * 70_000, b"*" + b"9" * 70_000,
]  # fmt: skip


def abuse(dice):
    """One thing that no client should send, or half of what it should; nothing of it removes anything."""
    return dice.choice([
        lambda: dice.choice(WRONG),
        lambda: request(["SET", "half", b"h" * 200_000])[: dice.choice([1, 5, 20, 100_000])],
        lambda: b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\n" + b"x" * dice.choice([0, 100, 100_000]),
        lambda: b"*1000000\r\n" + b"$1\r\nx\r\n" * 1000,
        lambda: request(["MULTI"]) + request(["SET", "k", b"q" * 10_000]) * 50,
        lambda: request(["WATCH", *(f"none{number}" for number in range(2000))]),
        lambda: dice.randbytes(dice.choice([10, 500, 20_000])),
    ])()  # fmt: skip


class Abuse(SystemTest):
    @followed
    def test_wrong_requests(self):
        """wrong lengths, counts, quotes and protocols are answered in Redis' words, and the connection ends where Redis ends it"""
        asked = [[self.ask(server, said) for said in WRONG] for server in both(self)]
        time.sleep(1)
        for said, *connections in zip(WRONG, *asked):
            want, got = map(heard, connections)
            self.assertEqual(want, got, f"{said[:80]!r}: redis-server, ours")
        self.remark(f"{len(WRONG)} compared")

    def ask(self, server, said):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.addCleanup(connection.close)
        with contextlib.suppress(ConnectionError):
            connection.sendall(said)
        connection.setblocking(False)
        return connection

    def test_garbage_harms_only_its_sender(self):
        """garbage, halves of requests and wrong lengths harm only their sender, and nobody sees another's bytes"""
        server = RedisServer(self, "leveret")
        dice = random.Random(7)
        polite = [server.connect() for _ in range(POLITE)]
        values = [f"of-{number}:".encode() * (10 ** (number % 5)) for number in range(POLITE)]
        for number, talk in enumerate(polite):
            self.assertEqual("OK", talk("SET", f"own{number}", values[number]))
        hostile = []
        for _ in range(ROUNDS):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            self.addCleanup(connection.close)
            connection.setblocking(False)
            hostile.append(connection)
            with contextlib.suppress(ConnectionError):
                connection.send(abuse(dice))
            for number, talk in enumerate(polite):
                self.assertTrue(values[number] == talk("GET", f"own{number}"), f"client {number} got other bytes than its own")
        for connection in hostile:
            self.assertNotIn(b"of-", drain(connection))
        self.assertIsNone(server.process.poll())

    def test_clients_that_do_not_read(self):
        """200 clients that ask for megabytes and read nothing cost no memory for each answer, and others are answered"""
        server = RedisServer(self, "leveret")
        talk = server.connect()
        self.assertEqual("OK", talk("SET", "large", b"v" * VALUE))
        before = resident(server)
        lazy = []
        for _ in range(READERS):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            self.addCleanup(connection.close)
            connection.sendall(request(["GET", "large"]) * 100)
            lazy.append(connection)
        self.assertEqual(b"v" * VALUE, talk("GET", "large"))
        grown = resident(server) - before
        self.remark(f"{READERS} clients that read nothing of 100 MiB each: {grown >> 20} MiB more")
        self.assertLess(grown, READERS * VALUE // 2)
        for connection in lazy[:5]:
            self.assertEqual(b"$%d\r\n" % VALUE, receive(connection, len(b"$%d\r\n" % VALUE)))

    def test_queues_without_end(self):
        """a transaction that queues without end is ended, by an error or with its connection, before it takes the server's memory; nothing of it is done"""
        server = RedisServer(self, "leveret")
        talk, other = server.connect(), server.connect()
        before = resident(server)
        self.assertEqual("OK", talk("MULTI"))
        part, grown = request(["SET", "k", b"q" * VALUE]), 0
        with contextlib.suppress(ConnectionError):
            for _ in range(200):
                talk.socket.sendall(part)
                answer = talk.read()
                grown = max(grown, resident(server) - before)
                if answer != "QUEUED":
                    self.assertTrue(talk("EXEC").startswith("EXECABORT"))
                    break
            else:
                self.fail("200 MiB were queued")
        self.assertLess(grown, 150 << 20)
        self.assertIsNone(other("GET", "k"))

    def test_guessed_passwords(self):
        """guesses of a password are refused one after the other, and a client that is not let in can say nothing large"""
        for server in both(self, password="s3cret"):
            talk = server.connect()
            for guess in ("", "s3cre", "s3crets", "S3CRET", "x" * 1000):
                self.assertEqual("WRONGPASS invalid username-password pair or user is disabled.", talk("AUTH", guess))
            self.assertEqual("WRONGPASS invalid username-password pair or user is disabled.", talk("AUTH", "somebody", "s3cret"))
            talk.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\n")
            self.assertEqual("ERR Protocol error: unauthenticated bulk length", talk.read())
            talk = server.connect()
            talk.socket.sendall(b"*100\r\n")
            self.assertEqual("ERR Protocol error: unauthenticated multibulk length", talk.read())
            self.assertEqual("OK", server.connect()("AUTH", "default", "s3cret"))


def heard(connection):
    """What it has been told by now, and whether the server has ended it."""
    told = b""
    try:
        while piece := connection.recv(1 << 16):
            told += piece
    except BlockingIOError:
        return told, "open"
    except ConnectionError:
        pass
    return told, "ended"


def resident(server):
    """Bytes of memory that are the server's own: not the arena's."""
    with open(f"/proc/{server.process.pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) * 1024


if __name__ == "__main__":
    unittest.main()
