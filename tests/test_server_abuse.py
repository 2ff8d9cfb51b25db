"""Hostile requests and very many clients: the server stays alive, answers others, and mixes up no bytes."""

import random
import resource
import socket
import struct
import unittest

from servers import Server, both
from support import SystemTest

POLITE = 8
ROUNDS = 60
IDLE = 10_000


def frame(dice):
    """A binary request of a store or a get with wrong lengths, which may end early."""
    opcode = dice.choice([0x00, 0x01, 0x02, 0x05, 0x0E, 0x1C])
    key, extras, body = dice.choice([0, 1, 250, 251, 65535]), dice.choice([0, 4, 8, 20, 255]), dice.choice([0, 9, 300, 1 << 21, 0xFFFFFFFF])
    head = struct.pack(">BBHBBHLLQ", 0x80, opcode, key, extras, dice.choice([0, 1, 255]), 0, body, 7, 0)
    return (head + dice.randbytes(400))[: dice.choice([5, 23, 24, 30, 424])]


def abuse(dice):
    """One thing that no client should send; none of it can be a valid command that removes anything."""
    return dice.choice([
        lambda: b"\x01" + dice.randbytes(500) + b"\r\n",
        lambda: b"get " + b"k" * 251 + b"\r\n",
        lambda: b"k" * 70_000,
        lambda: b"get " + b"secret-none " * 3000,
        lambda: b"set half 0 0 1000\r\nonly this much",
        lambda: b"set huge 0 0 9999999\r\n" + b"h" * 100_000,
        lambda: b"set minus 0 0 -1\r\nx\r\n",
        lambda: b"set long 0 0 3\r\nlonger than it said\r\n",
        lambda: b"ms meta S99999999999\r\nx\r\n",
        lambda: b"mg \xff\xfe b\r\nmg " + b"k" * 300 + b" v\r\n",
        lambda: frame(dice),
    ])()


class Abuse(SystemTest):
    def test_garbage_harms_only_its_sender(self):
        """garbage, cut frames and wrong lengths harm only their sender, and no client gets another's bytes"""
        for server in both(self):
            dice = random.Random(7)
            polite = [server.connect() for _ in range(POLITE)]
            values = [f"of-{number}:".encode() * (10 ** (number % 5)) for number in range(POLITE)]
            for number, connection in enumerate(polite):
                connection.sendall(b"set own%d 0 0 %d\r\n%s\r\n" % (number, len(values[number]), values[number]))
                self.assertEqual(b"STORED\r\n", receive(connection, 8))
            hostile = []
            for _ in range(ROUNDS):
                connection = server.connect()
                connection.setblocking(False)
                hostile.append(connection)
                try:
                    connection.send(abuse(dice))
                except ConnectionError:
                    pass  # it may be sent away before it has said all
                if len(hostile) > 20:
                    leaver = hostile.pop(dice.randrange(len(hostile)))
                    self.assertNotIn(b"of-", drain(leaver), server.kind)
                    leaver.close()
                for number, one in enumerate(polite):
                    one.sendall(b"get own%d\r\n" % number)
                    want = b"VALUE own%d 0 %d\r\n%s\r\nEND\r\n" % (number, len(values[number]), values[number])
                    self.assertTrue(want == receive(one, len(want)), f"{server.kind}: client {number} got other bytes than its own")
            for connection in hostile:
                self.assertNotIn(b"of-", drain(connection), server.kind)
            self.assertIsNone(server.process.poll())

    def test_value_of_many_pieces(self):
        """a value of more pieces than one system call fills is accepted whole, without a following request"""
        server = Server(self, "leveret", "-m", "60", "-I", "4m", "-t", "1", udp=False)
        connection = server.connect()
        for turn, length in enumerate([2_600_000, 3_900_000] * 20):
            value = b"%d:" % turn + b"v" * (length - 1 - len(str(turn)))
            connection.sendall(b"set k 0 0 %d\r\n%s\r\n" % (length, value))
            self.assertEqual(b"STORED\r\n", receive(connection, 8), f"turn {turn}: it does not read what has come")
            connection.sendall(b"get k\r\n")
            want = b"VALUE k 0 %d\r\n%s\r\nEND\r\n" % (length, value)
            self.assertTrue(want == receive(connection, len(want)), f"turn {turn}: another value")

    def test_idle_connections(self):
        """10,000 idle connections leave the server answering, and each of them is answered when it wakes"""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = IDLE if hard == resource.RLIM_INFINITY else min(IDLE, hard - 300)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = Server(self, "leveret", "-c", str(count + 50), udp=False)
        idle = []
        try:
            for _ in range(count):
                idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            self.assertGreaterEqual(int(server.stat("curr_connections")), count)
            for number, connection in enumerate(idle):
                connection.sendall(b"mn\r\n" if number % 2 else b"version\r\n")
            for number, connection in enumerate(idle):
                want = b"MN\r\n" if number % 2 else b"VERSION "
                self.assertEqual(want, receive(connection, len(want)))
        finally:
            for connection in idle:
                connection.close()
        self.remark(f"{count:,} connections")
        self.wait_for("the connections to end", lambda: int(server.stat("curr_connections")) < 50)


def receive(connection, length):
    """Exactly this many bytes, or fewer if the server has closed."""
    heard = b""
    while len(heard) < length:
        piece = connection.recv(length - len(heard))
        if not piece:
            break
        heard += piece
    return heard


def drain(connection):
    """What has arrived by now."""
    heard = b""
    try:
        while piece := connection.recv(1 << 16):
            heard += piece
    except (BlockingIOError, ConnectionError):
        pass
    return heard


if __name__ == "__main__":
    unittest.main()
