"""The class Redis on a `leveret serve --redis` of this host: commands on strings use the arena, with the server's replies."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from beside_the_socket import LATER, Beside
from redis_servers import RedisServer, free_port
from support import AM_ROOT, SystemTest

# Method, arguments after the key, the call before it if that is not set().
DIRECT = [
    ("set", ["v"], None), ("set", ["v", {"EX": 100}], None), ("set", ["v", {"PXAT": 2000000000000}], None), ("set", ["v", ["NX"]], None),
    ("set", ["v", ["XX", "KEEPTTL"]], None), ("set", ["v", 100], None), ("setex", [100, "v"], None), ("psetex", [100000, "v"], None),
    ("setnx", ["v"], None), ("get", [], None), ("strlen", [], None), ("exists", [], None), ("type", [], None), ("ttl", [], None),
    ("pttl", [], None), ("expiretime", [], None), ("pexpiretime", [], None), ("expire", [100], None), ("expire", [100, "NX"], None),
    ("pexpire", [100000], None), ("expireAt", [2000000000], None), ("pexpireAt", [2000000000000], None), ("persist", [], None),
    ("del", [], None), ("unlink", [], None), ("incr", [], "del"), ("incr", [5], "del"), ("incrBy", [5], "del"), ("decr", [], "del"),
    ("decr", [3], "del"), ("decrBy", [5], "del"), ("touch", [], None),
]


class Calls:
    """A PHP process that makes one call after the other."""

    def __init__(self, test, folder, **ini):
        self.test = test
        provider = test.ours(leveret__provide="redis", leveret__dir=folder, **ini)
        command = test.php_command("redis_calls_by_line.php", provider=provider)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.end)

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def __call__(self, name, method, *arguments):
        self.process.stdin.write(json.dumps([name, method, list(arguments)]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        self.test.assertTrue(line, f"PHP ended at {method}{arguments}")
        return json.loads(line)

    def gives(self, name, method, *arguments):
        answer = self(name, method, *arguments)
        self.test.assertIn("gave", answer, f"{method}{arguments}")
        return answer["gave"]

    def open(self, name, server, by_socket=False, password=None):
        """An object that is connected. One whose raw command the link does not know keeps to its socket."""
        place = [str(server.socket)] if server.socket else ["127.0.0.1", server.port]
        self(name, "new")
        self.gives(name, "connect", *place)
        if password:
            self.gives(name, "auth", password)
        if by_socket:
            self.gives(name, "rawCommand", "CLIENT", "NO-TOUCH", "OFF")


class RedisShortCut(SystemTest):
    def serve(self, *options, unix=False, password=None, **more):
        return RedisServer(self, "leveret", *options, unix=unix, password=password, **more)

    def calls(self, server, **ini):
        return Calls(self, server.folder, **ini)

    def commands(self, connection):
        """How often the server has executed each command."""
        lines = connection("INFO", "commandstats").decode().splitlines()
        return {line.split(":")[0].removeprefix("cmdstat_"): int(line.split("calls=")[1].split(",")[0]) for line in lines if line.startswith("cmdstat_")}

    def is_direct(self, calls):
        """Whether an object reads the arena now."""
        before = calls.gives("a", "getTransferredBytes")
        calls.gives("a", "get", "key")
        return before == calls.gives("a", "getTransferredBytes")

    def connect(self, server):
        connection = server.connect()
        if server.password:
            self.assertEqual("OK", connection("AUTH", server.password))
        return connection

    def test_is_taken(self):
        """commands on strings do not reach the server, by any socket, with a password and without, and it has their items"""
        for unix, password in [(False, None), (True, None), (False, "secret"), (True, "secret")]:
            server = self.serve(unix=unix, password=password)
            connection, calls = self.connect(server), self.calls(server)
            calls.open("a", server, password=password)
            if password:
                # The server is asked once whether it is the one of the arena.
                calls.gives("a", "get", "none")
                calls.open("a", server, password=password)
            before = self.commands(connection)
            for method, arguments, first in DIRECT:
                if first:
                    calls.gives("a", first, "key")
                else:
                    calls.gives("a", "set", "key", "v")
                self.assertNotIn("threw", calls("a", method, "key", *arguments), method)
            self.assertIs(True, calls.gives("a", "set", "left", "value"))
            self.assertEqual(["value", False], calls.gives("a", "mget", ["left", "none"]))
            self.assertIs(True, calls.gives("a", "ping"))
            self.assertIs(True, calls.gives("a", "isConnected"))
            self.assertEqual([0, 0], calls.gives("a", "getTransferredBytes"))
            self.assertEqual(b"value", connection("GET", "left"))
            after = self.commands(connection)
            new = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
            self.assertEqual({"get": 1, "info": 1}, new, (unix, password))
            # A new object of the same process, as the next page makes it.
            calls.open("b", server, password=password)
            self.assertEqual("value", calls.gives("b", "get", "left"))
            self.assertEqual([0, 0], calls.gives("b", "getTransferredBytes"))

    def test_counts(self):
        """hits and misses count as those by the socket"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)
        calls.gives("a", "set", "key", "value")
        read = lambda: {line.split(b":")[0]: int(line.split(b":")[1]) for line in connection("INFO", "stats").split(b"\r\n") if line.startswith(b"keyspace_")}
        before = read()
        for _ in range(100):
            calls.gives("a", "get", "key")
            calls.gives("a", "get", "none")
        calls.gives("a", "close")
        calls("a", "new")
        # What a process has counted is published now and then, and when it ends.
        calls.end()
        self.wait_for("the counts", lambda: read()[b"keyspace_hits"] - before[b"keyspace_hits"] == 100)
        self.assertEqual(100, read()[b"keyspace_misses"] - before[b"keyspace_misses"])

    def test_states_that_only_the_server_knows(self):
        """in pipelines, transactions, while watching and after raw commands that change the connection, all calls go to the server"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)

        def asked(*steps):
            before = self.commands(connection).get("get", 0)
            for step in steps:
                self.assertNotIn("threw", calls("a", *step), step)
            return self.commands(connection).get("get", 0) - before

        self.assertEqual(0, asked(["get", "k"]))
        self.assertEqual(2, asked(["pipeline"], ["get", "k"], ["get", "k"], ["exec"]))
        self.assertEqual(0, asked(["get", "k"]))
        self.assertEqual(1, asked(["multi"], ["get", "k"], ["exec"]))
        self.assertEqual(0, asked(["multi"], ["get", "k"], ["discard"]))
        self.assertEqual(2, asked(["watch", "k"], ["get", "k"], ["get", "k"], ["unwatch"]))
        self.assertEqual(0, asked(["get", "k"]))
        self.assertEqual(1, asked(["rawCommand", "GET", "k"]))
        self.assertEqual(0, asked(["get", "k"]))
        self.assertEqual(0, asked(["select", 3], ["select", 0], ["get", "k"]))
        self.assertEqual(1, asked(["rawCommand", "SELECT", "0"], ["get", "k"]))
        self.assertEqual(0, asked(["close"], ["get", "k"]))
        for words in (["CLIENT", "REPLY", "ON"], ["HELLO"], ["MULTI"], ["WATCH", "k"], ["RESET"]):
            calls("a", "close")
            calls.gives("a", "rawCommand", *words)
            calls("a", "get", "k")
            # Of the transaction it is a command.
            self.assertGreater(calls.gives("a", "getTransferredBytes")[0], 0)
            self.assertEqual(0 if words == ["MULTI"] else 1, asked(["get", "k"]), words)

    def test_databases(self):
        """each database is its own arena, made by its first write; select() of one that the server has not is refused by it"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)
        for number in range(4):
            self.assertIs(True, calls.gives("a", "select", number))
            self.assertIs(False, calls.gives("a", "get", "key"))
            self.assertIs(True, calls.gives("a", "set", "key", f"of {number}"))
            self.wait_for(f"the arena of {number}", lambda: calls.gives("a", "get", "key") == f"of {number}")
        self.assertIs(False, calls.gives("a", "select", 16))
        self.assertEqual(3, calls.gives("a", "getDBNum"))
        self.assertEqual("of 3", calls.gives("a", "get", "key"))
        # An arena that was missing a moment ago is looked for again.
        time.sleep(2 * LATER)
        for number in range(4):
            calls.gives("a", "select", number)
            self.wait_for("the arena", lambda: self.is_direct(calls))
        before = self.commands(connection)
        for number in (2, 0, 3, 1, 1, 0):
            self.assertIs(True, calls.gives("a", "select", number))
            self.assertEqual(f"of {number}", calls.gives("a", "get", "key"))
            self.assertIs(True, calls.gives("a", "set", "other", number))
            self.assertEqual(number, calls.gives("a", "getDBNum"))
            self.assertEqual(1, calls.gives("a", "exists", "other"))
        # SELECT is sent on an open socket.
        after = {**self.commands(connection), "select": before["select"]}
        self.assertEqual({**before, "info": before.get("info", 0) + 1}, after)
        # By the socket it is the same one.
        calls.gives("a", "select", 2)
        self.assertEqual(["other", "key"], sorted(calls.gives("a", "keys", "*"), reverse=True))
        calls.gives("a", "multi")
        calls.gives("a", "get", "key")
        self.assertEqual(["of 2"], calls.gives("a", "exec"))
        for number in range(4):
            connection("SELECT", number)
            self.assertEqual(f"of {number}".encode(), connection("GET", "key"))

    def test_a_server_that_ends(self):
        """a server that is stopped or killed is gone to the object as to one by its socket, and what was stored is there when it is back"""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            port = free_port()
            for turn in range(2):
                server = self.at(port)
                calls = Calls(self, self.arenas)
                calls.open("a", server)
                calls.open("b", server, by_socket=True)
                key = f"key{sign}"
                self.assertEqual(False if turn == 0 else "value", calls.gives("a", "get", key))
                self.assertIs(True, calls.gives("a", "set", key, "value"))
                self.assertEqual("value", calls.gives("b", "get", key))
                server.process.send_signal(sign)
                server.process.wait(30)
                noticed = self.wait_for("the end to be noticed", lambda: [answer for answer in [calls("a", "get", key)] if "threw" in answer])
                self.assertEqual("Connection lost", noticed[0]["text"])
                self.assertIn("threw", calls("b", "get", key))
                self.assertEqual(calls("b", "get", key), calls("a", "get", key))
                self.assertEqual(calls("b", "set", key, "lost"), calls("a", "set", key, "lost"))
                # An object that connects now cannot.
                calls("c", "new")
                self.assertEqual("Connection refused", calls("c", "connect", "127.0.0.1", port)["text"])
                again = self.at(port)
                self.wait_for("the server to be back", lambda: calls("a", "get", key).get("gave") == "value")
                self.assertEqual("value", calls.gives("a", "get", key))
                again.process.terminate()
                again.process.wait(30)

    def at(self, port):
        """A server at this port, whose arena outlives it."""
        class Fixed(RedisServer):
            def leveret(self, memory):
                command = super().leveret(memory)
                return [*command[:-1], str(port)]
        return Fixed(self, "leveret", arena=self.arenas / "kept.arena")

    def test_another_server_at_the_port(self):
        """where another server listens by now, that one is asked, though the arena is still there"""
        port = free_port()
        server, calls = self.at(port), Calls(self, self.arenas)
        calls.open("a", server)
        calls.gives("a", "set", "key", "of leveret")
        server.process.kill()
        server.process.wait(30)
        redis = self.start(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)], stdout=subprocess.DEVNULL)
        seen = self.wait_for("redis-server", lambda: calls("a", "get", "key").get("gave", "nothing") in (False, "of redis") or None)
        self.assertTrue(seen)
        self.assertIs(True, calls.gives("a", "set", "key", "of redis"))
        self.assertEqual("of redis", calls.gives("a", "get", "key"))
        calls.open("b", server)
        self.assertEqual("of redis", calls.gives("b", "get", "key"))
        redis.terminate()

    def test_another_server_at_the_socket(self):
        """a new object uses the server that listens at the Unix socket now, though the previous one is still alive"""
        first, other = self.serve(unix=True), RedisServer(self, "redis", unix=True)
        calls = self.calls(first)
        calls.open("a", first)
        calls.gives("a", "set", "key", "of the first")
        calls.open("b", other)
        calls.gives("b", "set", "key", "of the other")
        os.rename(other.socket, first.socket)
        self.wait_for("the other", lambda: [calls.open("c", first), calls.gives("c", "get", "key")][1] == "of the other")

    def test_an_arena_that_is_removed(self):
        """where the server's arena was removed or replaced, the object has what the server has"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)
        calls.gives("a", "select", 2)
        calls.gives("a", "set", "key", "second")
        calls.gives("a", "select", 0)
        calls.gives("a", "set", "key", "value")
        for path in server.folder.glob("*.arena"):
            path.unlink()
        self.wait_for("the server to notice", lambda: connection("GET", "key") is None)
        connection("SELECT", 2)
        self.wait_for("the server to notice", lambda: connection("GET", "key") is None)
        for number in (0, 2):
            calls.gives("a", "select", number)
            self.wait_for(f"database {number} to be empty", lambda: calls.gives("a", "get", "key") is False)
            calls.gives("a", "set", "key", f"new {number}")
            connection("SELECT", number)
            self.assertEqual(f"new {number}".encode(), connection("GET", "key"))

    def test_others_write(self):
        """what other clients store, change, delete and flush is read at once"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)
        for number in range(200):
            connection("SET", "key", number)
            self.assertEqual(str(number), calls.gives("a", "get", "key"))
            connection("APPEND", "key", "x")
            self.assertEqual(f"{number}x", calls.gives("a", "get", "key"))
            connection(["DEL", "UNLINK"][number % 2], "key")
            self.assertIs(False, calls.gives("a", "get", "key"))
        connection("SET", "key", "value")
        for flush in ("FLUSHDB", "FLUSHALL"):
            self.assertIs(True, calls.gives("a", "set", "key", "value"))
            connection(flush)
            self.assertIs(False, calls.gives("a", "get", "key"))
        # And the other way round: a transaction of the server sees the write.
        connection("SET", "watched", "1")
        connection("WATCH", "watched")
        calls.gives("a", "set", "watched", "2")
        connection("MULTI")
        connection("SET", "watched", "3")
        self.assertIsNone(connection("EXEC"))
        self.assertEqual("2", calls.gives("a", "get", "watched"))

    def test_passwords(self):
        """the arena is used only with what the server lets in now: not without a password, with a wrong one, or with yesterday's"""
        server = self.serve(password="first")
        connection, calls = self.connect(server), self.calls(server)
        connection("SET", "key", "value")
        stranger = {"threw": "RedisException", "text": "NOAUTH Authentication required."}
        has = lambda answer, want: self.assertEqual(want, {name: answer[name] for name in want}, answer)
        calls.open("a", server)
        has(calls("a", "get", "key"), stranger)
        has(calls("a", "auth", "wrong"), {"threw": "RedisException"})
        has(calls("a", "get", "key"), stranger)
        calls.open("b", server, password="first")
        self.assertEqual("value", calls.gives("b", "get", "key"))
        # The process was let in: that is no matter to one that does not say with what.
        calls.open("c", server)
        has(calls("c", "get", "key"), stranger)
        has(calls("c", "auth", ["default", "wrong"]), {"threw": "RedisException"})
        self.assertIs(True, calls.gives("c", "auth", "first"))
        self.assertEqual("value", calls.gives("c", "get", "key"))
        self.assertIs(True, calls.gives("c", "auth", ["default", "first"]))
        self.assertEqual("value", calls.gives("c", "get", "key"))
        has(calls("c", "auth", "wrong"), {"threw": "RedisException"})
        self.assertEqual("value", calls.gives("c", "get", "key"))
        connection("CONFIG", "SET", "requirepass", "second")
        self.wait_for("the first password to be refused", lambda: "threw" in [calls.open("d", server), calls("d", "auth", "first")][1])
        # A connection that is signed in stays so.
        self.assertEqual("value", calls.gives("b", "get", "key"))
        self.assertIs(True, calls.gives("b", "auth", "second"))
        self.assertEqual("value", calls.gives("b", "get", "key"))
        reached = lambda: [calls.gives("b", "get", "key"), calls.gives("b", "clearTransferredBytes"), calls.gives("b", "get", "key"), calls.gives("b", "getTransferredBytes")][3] == [0, 0]
        self.wait_for("the arena to be used again", reached)
        connection("CONFIG", "SET", "requirepass", "")
        self.wait_for("strangers to be let in", lambda: [calls.open("e", server), calls("e", "get", "key")][1].get("gave") == "value")

    def test_constructor_signs_in(self):
        """credentials of the constructor are used for the arena once the server has agreed to them"""
        server = self.serve(password="secret")
        calls = self.calls(server)
        options = {"host": "127.0.0.1", "port": server.port, "auth": "secret"}
        for turn in range(3):
            calls("a", "new", options)
            self.assertIs(True, calls.gives("a", "set", "key", "value"))
            self.assertEqual("value", calls.gives("a", "get", "key"))
            sent = calls.gives("a", "getTransferredBytes")[0]
            self.assertEqual(turn > 0, sent == 0, f"turn {turn}")
        calls("a", "new", {**options, "auth": "wrong"})
        self.assertIn("threw", calls("a", "get", "key"))

    def test_full(self):
        """a full database refuses and evicts by its policy, and refuses values and keys that are too long, as by the socket"""
        server = self.serve(memory=64)
        connection, calls = server.connect(), self.calls(server)
        calls.open("a", server)
        calls.open("b", server, by_socket=True)
        for length in (1 << 20, 7 << 20, 9 << 20, 20 << 20):
            value = "v" * length
            for call in (["set", "k", value], ["set", "k", value, 100], ["setnx", "n", value], ["append", "p", value]):
                connection("FLUSHALL")
                by_socket = [calls("b", *call), calls("b", "strlen", call[1])]
                connection("FLUSHALL")
                self.assertEqual(by_socket, [calls("a", *call), calls("a", "strlen", call[1])], (length, call[0]))
        for length in (1, 1000, 65535, 65536, 100000):
            for call in (["get"], ["strlen"], ["del"], ["exists"], ["incr"], ["set", "v"]):
                method, arguments = call[0], call[1:]
                self.assertEqual(calls("b", method, "k" * length, *arguments), calls("a", method, "l" * length, *arguments), (length, method))
        connection("FLUSHALL")
        connection("CONFIG", "SET", "maxmemory-policy", "noeviction")
        value = "v" * 100000
        answers = [calls("a", "set", f"key{number}", value) for number in range(700)]
        refused = [answer for answer in answers if "threw" in answer]
        self.assertTrue(refused)
        self.assertEqual({"OOM command not allowed when used memory > 'maxmemory'."}, {answer["text"] for answer in refused})
        self.assertEqual(calls("b", "set", "more", value), calls("a", "set", "other", value))
        self.assertEqual(700 - len(refused), connection("DBSIZE"))
        connection("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu")
        self.assertIs(True, calls.gives("a", "set", "more", value))

    def test_items_of_other_entrances(self):
        """what Leveret\\Cache stores is given as the server gives it"""
        server = self.at(free_port())
        calls = Calls(self, self.arenas)
        calls("cache", "new", "kept")
        calls.open("a", server)
        calls.open("b", server, by_socket=True)
        values = [1, -5, 2**62, 1.5, True, False, None, "text", "", [], [1, 2, 3], {"a": [1.5, {"b": None}]}, "x" * 100000, list(range(1000))]
        for number, value in enumerate(values):
            calls.gives("cache", "set", f"key{number}", value)
            for method in ("get", "strlen", "exists", "type", "incr", "getDel"):
                calls.gives("cache", "set", f"key{number}", value)
                by_socket = calls("b", method, f"key{number}")
                calls.gives("cache", "set", f"key{number}", value)
                self.assertEqual(by_socket, calls("a", method, f"key{number}"), (method, value))

    def test_beside_the_socket(self):
        """generated calls on two objects, one of which keeps to its socket, answer the same, and each reads what the other reads"""
        seed = int(os.environ.get("LEVERET_SEED", random.randrange(2**32)))
        self.remark(f"LEVERET_SEED={seed}")
        total = 0
        for unix, password in [(False, None), (True, "secret"), (True, None), (False, "secret")]:
            conversation = Beside(self, random.Random(seed + total), self.serve(unix=unix, password=password, memory=64))
            for _ in range(int(os.environ.get("LEVERET_CALLS", 1500))):
                conversation.step()
            self.assertGreater(conversation.direct, 100)
            total += conversation.calls
        self.remark(f"{total} calls compared")

    def test_open_basedir(self):
        """a script under open_basedir uses the arena of a server, as with Memcached"""
        server = self.serve()
        connection, calls = server.connect(), self.calls(server, open_basedir="/usr:/tmp:" + str(self.folder.parent))
        calls.open("a", server)
        before = self.commands(connection)
        self.assertIs(True, calls.gives("a", "set", "key", "value"))
        self.assertEqual("value", calls.gives("a", "get", "key"))
        self.assertEqual({**before, "info": before.get("info", 0) + 1}, self.commands(connection))

    @unittest.skipUnless(AM_ROOT, "needs root")
    def test_another_user(self):
        """a user without access to the arena uses the server"""
        server = self.serve()
        script = """<?php $r = new Redis; $r->connect('127.0.0.1', (int) $argv[1]); $r->set('key', 'value');
            echo json_encode([$r->get('key'), $r->getTransferredBytes()[0] > 0, $r->get('none')]);"""
        provider = self.ours(leveret__provide="redis", leveret__dir=server.folder)
        self.assertEqual(["value", True, False], self.php(script, server.port, provider=provider, user="www-data"))
        self.assertEqual(["value", False, False], self.php(script, server.port, provider=provider))

    def test_elsewhere(self):
        """an arena that announces another address, another network or nothing is not used, nor is one in another folder"""
        server, other = self.serve(), self.serve()
        calls = Calls(self, other.folder)
        calls.open("a", server)
        calls.open("b", other)
        calls.gives("b", "set", "key", "of the other")
        calls.gives("a", "set", "key", "of this one")
        self.assertGreater(calls.gives("a", "getTransferredBytes")[0], 0)
        self.assertEqual([0, 0], calls.gives("b", "getTransferredBytes"))
        self.assertEqual(["of this one", "of the other"], [calls.gives(name, "get", "key") for name in "ab"])


if __name__ == "__main__":
    unittest.main()
