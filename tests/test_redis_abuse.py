"""What no client of Redis should send, and clients that do not read: the server lives, answers others, keeps its memory, and says what Redis says."""

import contextlib
import random
import resource
import socket
import subprocess
import time
import unittest

from redis_servers import RedisServer, Refusal, both, followed, request
from support import SystemTest
from test_server_abuse import drain, receive

POLITE = 8
ROUNDS = 80
READERS = 200
LAZY = 10_000
VALUE = 1 << 20

# Each is the first that a connection says; what Redis answers is compared, and whether it hangs up.
WRONG = [
    b"*-10\r\n", b"*0\r\nPING\r\n", b"\r\n\r\nPING\r\n", b"*3000000000\r\n", b"*9223372036854775808\r\n", b"*abc\r\n", b"*1\r\n$-10\r\n", b"*1\r\n$9223372036854775807\r\n",
    b"*1\r\n$blabla\r\n", b"*2\r\nfoo\r\n", b"*1\r\n*1\r\n$4\r\nPING\r\n", b"*1\r\n$2000000000\r\n", b"SET k \"unbalanced\r\n", b"SET k 'two words'\r\nGET k\r\n", b"SET k \"\\x41\\n\"\r\nGET k\r\n",
    b"ping\nping\n", b"GET " + b"k" * 60_000 + b"\r\n", b"x" * 70_000, b"*1\r\n$4\r\nPINGxx*1\r\n$4\r\nPING\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"Host: localhost\r\n", b"+PING\r\n",
    b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", b"*1\r\n$0\r\n\r\n", b"*2\r\n$3\r\nGET\r\n:1\r\n", b"$4\r\nPING\r\n", b"\0\0\0\0\r\nPING\r\n", b"*1\r\n$" + b"1" * 70_000, b"*" + b"9" * 70_000,
]  # fmt: skip


def abuse(dice):
    """One invalid request, or half of a valid one, that removes nothing."""
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
        """garbage, halves of requests and wrong lengths harm only their sender, and no client gets another's bytes"""
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

    def test_commands_of_redis(self):
        """each command of redis-server is served or refused by its name: an application with a queue gets an error, and its transaction fails"""
        listed = subprocess.run(["redis-server", "--version"], capture_output=True, text=True).stdout and RedisServer(self, "redis").connect()("COMMAND", "LIST")
        server = RedisServer(self, "leveret")
        refused = 0
        for name in sorted(word.decode() for word in listed):
            if name in ("shutdown", "quit", "reset"):
                continue
            talk = server.connect()
            words = name.split("|")
            answer = talk(*words, *["a"] * 3)
            self.assertFalse(isinstance(answer, Refusal) and answer.startswith("ERR unknown command"), f"{name}: {answer}")
            if isinstance(answer, Refusal) and answer.startswith("UNSUPPORTED "):
                self.assertTrue(answer.startswith(f"UNSUPPORTED {words[0].upper()}"), answer)
                refused += 1
                talk("MULTI")
                talk(*words, "jobs", "job")
                self.assertEqual(["QUEUED", True], [talk("SET", "after", "done"), str(talk("EXEC")).startswith("EXECABORT")])
        self.assertGreater(refused, 100)
        self.assertIsNone(server.connect()("GET", "after"))
        self.remark(f"{refused} refused by their name")

    @followed
    def test_databases_that_are_not_there(self):
        """SELECT, MOVE and COPY to databases that are not there are refused in Redis' words, and the client stays where it was"""
        for server in both(self):
            talk = server.connect()
            self.assertEqual(["OK", "OK"], [talk("SELECT", 3), talk("SET", "k", "of 3")])
            for number in ("99", "16", "-1", "2147483648", "9223372036854775807", "9223372036854775808", "x", "", "1.5", " 1"):
                for words in (["SELECT", number], ["MOVE", "k", number], ["COPY", "k", "l", "DB", number]):
                    self.assertIsInstance(talk(*words), Refusal, (server.kind, words))
                self.assertEqual(b"of 3", talk("GET", "k"), (server.kind, number))

    def test_arenas_that_go(self):
        """an arena that is removed under the server, or emptied by a process, is created again by the next writes; no connection ends"""
        server = RedisServer(self, "leveret", memory=16)
        talk = server.connect()
        for number, path in ((0, server.arena), (3, server.arena.with_name("cache.db3.arena"))):
            self.assertEqual(["OK", "OK"], [talk("SELECT", number), talk("SET", "k", "v")])
            path.unlink()
            self.wait_for(f"database {number} to be empty", lambda: talk("GET", "k") is None)
            self.assertEqual(["OK", b"w"], [talk("SET", "k", "w"), talk("GET", "k")])
            self.assertTrue(path.exists())
            path.write_bytes(b"")
            self.wait_for("an answer to each request", lambda: [talk("SET", "k", "x"), talk("PING")][1] == "PONG")
            path.unlink()
            self.wait_for("the database to be made again", lambda: talk("SET", "k", "y") == "OK" and path.exists() and path.stat().st_size > 0 and talk("GET", "k") == b"y")

    def test_full_database(self):
        """a full database that evicts nothing refuses writes in any form and answers reads; a transaction reports it for each command"""
        server = RedisServer(self, "leveret", memory=8)
        talk = server.connect()
        self.assertEqual("OK", talk("CONFIG", "SET", "maxmemory-policy", "noeviction"))
        number, oom = 0, "OOM command not allowed when used memory > 'maxmemory'."
        while talk("SET", f"k{number}", b"v" * 9000) == "OK":
            number += 1
        self.assertGreater(number, 300)
        while talk("SET", f"s{number}", b"v" * 100) == "OK":
            number += 1
        for words in (["SET", "new", b"v" * 9000], ["SET", "new", b"v" * 9000, "NX", "EX", 9], ["GETSET", "new", b"v" * 9000], ["MSET", "new", b"v" * 9000], ["APPEND", "k1", b"v" * 9000], ["SETRANGE", "k2", 9000, b"v" * 9000],
                      ["COPY", "k3", "new"], ["BITOP", "NOT", "new", "k3"], ["EVAL", "return redis.call('set', KEYS[1], ARGV[1])", 1, "new", b"v" * 9000]):  # fmt: skip
            answer = talk(*words)
            self.assertIsInstance(answer, Refusal, words[0])
            self.assertIn("OOM command not allowed", answer, words[0])
        self.assertEqual([9000, 9000, 9000], [talk("STRLEN", name) for name in ("k1", "k2", "k3")])
        talk.send_all([["MULTI"], ["SET", "new", b"v" * 9000], ["STRLEN", "k1"], ["EXEC"]])
        self.assertEqual(["OK", "QUEUED", "QUEUED", [oom, 9000]], [talk.read() for _ in range(4)])
        self.assertEqual([200, "OK"], [talk("DEL", *(f"k{number}" for number in range(200))), talk("SET", "new", b"v" * 9000)])

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
    """The bytes received so far, and whether the server has closed the connection."""
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


class Crowd(SystemTest):
    ALONE = "its clients leave a gigabyte in the kernel's buffers"

    def test_ten_thousand_that_do_not_read(self):
        """10,000 clients that request megabytes and walks over all keys and read nothing block no other client, and cost no memory for each answer"""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = LAZY if hard == resource.RLIM_INFINITY else min(LAZY, hard - 300)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = RedisServer(self, "leveret", "-c", str(count + 50))
        talk = server.connect()
        self.assertEqual(["OK", "OK"], [talk("SET", "large", b"v" * VALUE), talk("SET", "page", b"p" * 20_000)])
        before, lazy = resident(server), []
        asks = [request(["GET", "large"]) * 20, request(["MGET", *["page"] * 50]) * 20, request(["KEYS", "*"]) * 500]
        try:
            for number in range(count):
                connection = socket.socket()
                lazy.append(connection)
                # Else the kernel has no memory left for anybody's connections.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(60)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(asks[number % 3])
            for _ in range(20):
                self.assertEqual(b"p" * 20_000, talk("GET", "page"))
            grown = resident(server) - before
            self.remark(f"{count:,} clients that read nothing of up to 20 MiB each: {grown >> 20} MiB more")
            self.assertLess(grown, 512 << 20)
        finally:
            for connection in lazy:
                connection.close()
        self.wait_for("the connections to end", lambda: b"connected_clients:1\r\n" in talk("INFO", "clients"))


if __name__ == "__main__":
    unittest.main()
