"""`leveret serve --redis` as docs/redis.md promises it: databases, restarts, passwords, full databases, and the other entrances to the same items."""

import concurrent.futures
import contextlib
import json
import os
import random
import re
import select
import signal
import subprocess
import threading
import unittest

from redis_servers import RedisServer
from servers import tool
from support import AM_ROOT, COMMAND, EXTENSION, PATIENCE, PHP, SystemTest, run

USER = ["-u", "root"] if AM_ROOT else []


class Operations(SystemTest):
    def server(self, *options, **more):
        return RedisServer(self, "leveret", *options, **more)

    def test_restart(self):
        """a kill of the server loses nothing: values, deadlines and databases are there for the next one, with the same order of SCAN"""
        arena = self.arena("site")
        first = self.server(arena=arena)
        talk = first.connect()
        self.assertEqual(["OK", "OK", 3], [talk("SET", "k", "v"), talk("SET", "t", 1, "PX", 60_000), talk("INCRBY", "c", 3)])
        for number in range(200):
            talk("SET", f"page:{number}", number)
        cursor, keys = talk("SCAN", 0, "COUNT", 50)
        self.assertEqual(["OK", "OK"], [talk("SELECT", 3), talk("SET", "k", "of 3")])
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(60)
        talk = self.server(arena=arena).connect()
        self.assertEqual([b"v", 4], [talk("GET", "k"), talk("INCR", "c")])
        self.assertTrue(50_000 < talk("PTTL", "t") <= 60_000)
        while cursor != b"0":
            cursor, more = talk("SCAN", cursor, "COUNT", 50)
            keys += more
        self.assertEqual(203, len(keys))
        self.assertEqual(203, len(set(keys)))
        self.assertEqual(["OK", b"of 3", 1], [talk("SELECT", 3), talk("GET", "k"), talk("DBSIZE")])

    def test_databases_are_arenas(self):
        """a database that is written to is an arena of its own, which the command lists and reads; one that is only read is not made"""
        talk = self.server(arena=self.arena("site")).connect()
        self.assertEqual(["OK", None, "OK", "OK"], [talk("SELECT", 5), talk("GET", "k"), talk("SELECT", 2), talk("SET", "k", "of 2")])
        self.assertEqual(["site.arena", "site.db2.arena"], sorted(path.name for path in self.arenas.glob("*.arena")))
        self.assertEqual("of 2", self.leveret("get", "--arena", self.arena("site.db2"), "k").rstrip("\n"))
        self.leveret("set", "--arena", self.arena("site"), "k", "of the command")
        self.assertEqual(["OK", b"of the command"], [talk("SELECT", 0), talk("GET", "k")])

    def test_number_of_databases(self):
        """--redis-databases is the number of databases, for SELECT, CONFIG and MOVE"""
        talk = self.server("--redis-databases", "2").connect()
        self.assertEqual(["OK", "ERR DB index is out of range"], [talk("SELECT", 1), talk("SELECT", 2)])
        self.assertEqual([b"databases", b"2"], talk("CONFIG", "GET", "databases"))
        self.assertEqual(["OK", "ERR DB index is out of range"], [talk("SET", "k", 1), talk("MOVE", "k", 2)])

    def test_no_flush(self):
        """with -F no client empties a database"""
        talk = self.server("-F").connect()
        for name in ("flushdb", "flushall"):
            self.assertEqual(["OK", f"NOPERM this user has no permissions to run the '{name}' command", b"v"], [talk("SET", "k", "v"), talk(name), talk("GET", "k")])

    def test_password_is_not_walked_around(self):
        """a password for Redis' clients, and a port for memcached's without one, is refused at the start"""
        words = ["serve", "--arena", str(self.arena("site")), *USER, "--redis", "-1", "--requirepass", "s3cret", "-p", "-1"]
        done = run([str(COMMAND), *words])
        self.assertNotEqual(0, done.returncode)
        self.assertIn("--requirepass", done.stderr)

    def test_sasl_is_not_walked_around(self):
        """passwords for memcached's clients by SASL, and clients of Redis without one, are refused at the start; with one it starts"""
        users = self.folder / "users"
        users.write_text("ann:secret\n")
        users.chmod(0o600)
        words = ["serve", "--arena", str(self.arena("site")), *USER, "--redis", "-1", "-p", "-1", "-S", "--sasl-pwdb", str(users)]
        done = run([str(COMMAND), *words])
        self.assertEqual(2, done.returncode)
        self.assertIn("-S: clients of Redis have no SASL", done.stderr)
        talk = self.server("-S", "--sasl-pwdb", str(users), "-p", "-1", password="s3cret").connect()
        self.assertTrue(talk("PING").startswith("NOAUTH"))
        self.assertEqual("OK", talk("AUTH", "s3cret"))
        self.assertIn("would need none for the same cache", talk("CONFIG", "SET", "requirepass", ""))

    def test_databases_of_the_file(self):
        """memory, policy and arena of a database are as the configuration file says; what it cannot say is refused by its name"""
        file = self.folder / "leveret.toml"
        text = "[redis]\nport = -1\n[redis.databases.0]\npolicy = 'volatile-lfu'\n[redis.databases.2]\nmemory = 16\npolicy = 'noeviction'\narena = '{}'\n"
        sessions = self.arena("sessions")
        file.write_text(text.format(sessions))
        talk = self.server("--config", str(file)).connect()
        for number, policy in ((0, b"volatile-lfu"), (2, b"noeviction"), (3, b"allkeys-lfu")):
            self.assertEqual(["OK", [b"maxmemory-policy", policy]], [talk("SELECT", number), talk("CONFIG", "GET", "maxmemory-policy")])
            self.assertEqual("OK", talk("SET", "k", "v"))
        stats = json.loads(self.leveret("stats", "--json", "--arena", str(sessions)))
        self.assertEqual((16 << 20, 1), (stats["memory"], stats["items"]))
        for wrong, part in (("[redis.databases.2]\nsize = 5\n", "database 2 has no 'size'"), ("[redis.databases.16]\n", "there are 16 databases"), ("[redis.databases.2]\npolicy = 'lru'\n", "'lru' is none of"),
                            ("[redis.databases.2]\nmemory = '1k'\n", "at least 8 MiB"), (f"[redis.databases.2]\narena = '{sessions}'\n[redis.databases.3]\narena = '{sessions}'\n", "database 3 is the arena"),
                            (f"[redis.databases.2]\narena = '{self.arena('site')}'\n", "as database 0 is"), ("[redis]\nsocket = 5\n", "there is no option 'redis.socket'")):  # fmt: skip
            file.write_text(wrong if wrong.startswith("[redis]") else "[redis]\nport = -1\n" + wrong)
            done = run([str(COMMAND), "serve", "--arena", str(self.arena("site")), *USER, "--config", str(file)])
            self.assertEqual(2, done.returncode, (wrong, done.stderr))
            self.assertIn(part, done.stderr, wrong)

    def test_tools(self):
        """`leveret watch` and `leveret top` accept a server for clients of Redis, by its address and by its arena; top accepts a Redis, too"""
        server = self.server(arena=self.arena("site"))
        talk = server.connect()
        for target in (server.url, str(self.arena("site"))):
            watcher = subprocess.Popen([str(COMMAND), "watch", "--json", target], stdout=subprocess.PIPE, text=True, env={**os.environ, "LEVERET_DIR": str(self.arenas)})
            self.addCleanup(watcher.stdout.close)
            self.addCleanup(watcher.wait, 60)
            self.addCleanup(watcher.kill)
            self.wait_for("the watcher", lambda: talk("SET", "probe", 1) and select.select([watcher.stdout], [], [], 0.05)[0])
            talk("SELECT", 3), talk("SET", "user:1", "hello"), talk("SELECT", 0)
            for line in watcher.stdout:
                event = json.loads(line)
                if event["type"] == "item_store" and event["key"] == "user:1":
                    break
            self.assertEqual(("stored", "set", 5, 3), (event["status"], event["cmd"], event["size"], event["db"]))
        original = RedisServer(self, "redis")
        original.connect()("SET", "a", "b")
        talk("GET", "user:1")
        seen = {}
        for address in (server.url, original.url):
            done = tool(COMMAND, "top", "--once", "--json", "--interval", "200ms", address)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            seen[address] = json.loads(done.stdout)["targets"][0]
            self.assertEqual((address, None), (seen[address]["target"], seen[address]["error"]))
            self.assertGreater(seen[address]["latency_us"], 0)
        self.assertEqual((2, 1), (seen[server.url]["items"], seen[original.url]["items"]))
        self.assertGreaterEqual(seen[server.url]["limit"], 256 << 20)
        done = tool(COMMAND, "watch", original.url)
        self.assertEqual(1, done.returncode)
        self.assertIn("is no leveret serve", done.stderr)
        self.assertIn(original.url, tool(COMMAND, "top", "--once", original.url).stdout)

    def test_own_connection_killed(self):
        """a client may end its own connection and others, by their numbers"""
        server = self.server()
        talk, other = server.connect(), server.connect()
        mine, its = talk("CLIENT", "ID"), other("CLIENT", "ID")
        self.assertNotEqual(mine, its)
        self.assertEqual(1, talk("CLIENT", "KILL", "ID", its))
        with self.assertRaises(ConnectionError):
            other("PING")
        self.assertEqual(1, talk("CLIENT", "KILL", "ID", mine, "SKIPME", "no"))
        with self.assertRaises(ConnectionError):
            talk("PING"), talk("PING")


class Memory(SystemTest):
    def full(self, policy):
        """Writes 24 MiB of values of 16 KiB into a database of 8 MiB; returns the connection and what was answered."""
        talk = RedisServer(self, "leveret", memory=8).connect()
        self.assertEqual("OK", talk("CONFIG", "SET", "maxmemory-policy", policy))
        self.assertEqual([b"maxmemory-policy", policy.encode()], talk("CONFIG", "GET", "maxmemory-policy"))
        self.assertEqual("OK", talk("SET", "session", "kept"))
        return talk, [talk("SET", f"page:{number}", "x" * 16384, *(["EX", 600] if policy == "volatile-lfu" else [])) for number in range(1536)]

    def test_all_keys(self):
        """a full cache takes every value and lets others go"""
        talk, answers = self.full("allkeys-lfu")
        self.assertEqual({"OK"}, set(answers))
        self.assertLess(talk("DBSIZE"), 600)
        self.assertIn(b"maxmemory_policy:allkeys-lfu\r\n", talk("INFO", "memory"))

    def test_no_eviction(self):
        """under noeviction a full database refuses a value in Redis' words and keeps all that it has"""
        talk, answers = self.full("noeviction")
        self.assertEqual({"OK", "OOM command not allowed when used memory > 'maxmemory'."}, set(answers))
        self.assertEqual(b"kept", talk("GET", "session"))
        kept = [number for number, answer in enumerate(answers) if answer == "OK"]
        self.assertEqual(len(kept), sum(talk("STRLEN", f"page:{number}") == 16384 for number in kept))
        self.assertEqual([1, "OK"], [talk("DEL", f"page:{kept[0]}"), talk("SET", "small", 1)])

    def test_volatile(self):
        """under volatile-lfu only values with a deadline go"""
        talk, answers = self.full("volatile-lfu")
        self.assertEqual({"OK"}, set(answers))
        self.assertEqual(b"kept", talk("GET", "session"))

    def test_too_large(self):
        """a value that is too large for the arena is refused in Redis' words, the old one is deleted, and the connection and its other requests continue"""
        talk = RedisServer(self, "leveret", memory=8).connect()
        self.assertEqual("OK", talk("SET", "k", "old"))
        talk.send("SET", "k", b"x" * 3_000_000)
        talk.send("PING")
        self.assertEqual(["ERR string exceeds maximum allowed size (proto-max-bulk-len)", "PONG"], [talk.read(), talk.read()])
        self.assertIsNone(talk("GET", "k"))


class Transactions(SystemTest):
    ACCOUNTS = [f"account:{number}" for number in range(8)]

    def server(self):
        server = RedisServer(self, "leveret", "-t", "4")
        self.assertEqual("OK", server.connect()("MSET", *(word for name in self.ACCOUNTS for word in (name, 1000))))
        return server

    def in_threads(self, *works):
        """Runs each in a thread; the first failure is the test's."""
        with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
            for done in [pool.submit(work) for work in works]:
                done.result(PATIENCE)

    def test_isolation(self):
        """no client sees half of another's transaction: six move money between accounts, and four readers always see the same sum"""
        server = self.server()

        def move():
            talk, dice = server.connect(), random.Random()
            for _ in range(1500):
                giver, taker = dice.sample(self.ACCOUNTS, 2)
                talk.send_all([["MULTI"], ["DECRBY", giver, 7], ["INCRBY", taker, 7], ["EXEC"]])
                self.assertEqual(["OK", "QUEUED", "QUEUED"], [talk.read() for _ in range(3)])
                self.assertEqual(2, len(talk.read()))

        def look():
            talk = server.connect()
            for _ in range(3000):
                self.assertEqual(8000, sum(map(int, talk("MGET", *self.ACCOUNTS))))

        self.in_threads(*6 * [move], *4 * [look])

    def test_watch(self):
        """of updates by WATCH, four clients at one key, none is lost; beside a process that writes to the arena itself neither"""
        server = self.server()
        server.connect()("SET", "count", 0)

        def add():
            talk = server.connect()
            for _ in range(100):
                while True:
                    talk("WATCH", "count")
                    value = int(talk("GET", "count"))
                    talk.send_all([["MULTI"], ["SET", "count", value + 1], ["EXEC"]])
                    if [talk.read() for _ in range(3)][2] is not None:
                        break

        def add_directly():
            code = f"$m = new Memcached(); $m->addServer('{server.arena}', 0); for ($i = 0; $i < 100; $i++) {{ $m->increment('count'); usleep(200); }}"
            done = run([PHP, "-n", "-d", f"extension={EXTENSION}", "-r", code])
            self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))

        self.in_threads(*4 * [add], add_directly)
        self.assertEqual(b"500", server.connect()("GET", "count"))

    def test_killed(self):
        """a server that is killed in the middle of transactions leaves each command done or not done, in order"""
        arena = self.arena("killed")
        for _ in range(5):
            server = RedisServer(self, "leveret", arena=arena)
            talk = server.connect()
            talk("MSET", "a", 0, "b", 0, "c", 0)
            with contextlib.suppress(OSError):
                threading.Timer(0.05, server.process.kill).start()
                while True:
                    talk.send_all([["MULTI"], ["INCR", "a"], ["INCR", "b"], ["INCR", "c"], ["EXEC"]] * 20)
                    [talk.read() for _ in range(100)]
            server.process.wait(60)
            a, b, c = map(int, RedisServer(self, "leveret", arena=arena).connect()("MGET", "a", "b", "c"))
            self.assertTrue(a - 1 <= c <= b <= a, (a, b, c))
            self.assertGreater(a, 0)
            self.assertEqual(0, tool(COMMAND, "verify", "--arena", arena).returncode)
            self.assertEqual(0, tool(COMMAND, "rm", "--force", "--arena", arena).returncode)


class OtherEntrances(SystemTest):
    """Each API reads strings and numbers of another with their type."""

    def test_strings_and_numbers(self):
        """a Redis client's values are read by PHP's three APIs and memcached's protocol, and the reverse; counters are shared"""
        arena = self.arena("site")
        server = RedisServer(self, "leveret", "-p", "-1", arena=arena)
        talk = server.connect()
        self.assertEqual(["OK", 42, "OK"], [talk("SET", "text", "grüße"), talk("INCRBY", "count", 42), talk("SET", "digits", "7")])
        code = f"""
            $c = new Leveret\\Cache('{arena}');
            $heard = [$c->get('text'), $c->get('count'), apcu_fetch('text'), apcu_fetch('count')];
            $m = new Memcached(); $m->addServer('{arena}', 0); $heard[] = $m->get('text'); $heard[] = $m->increment('count');
            $c->set('from cache', 'text of PHP'); $c->set('number', 100); $m->set('from_memcached', 'text', 100);
            echo json_encode([$heard, apcu_store('from apcu', 5), apcu_inc('count', 7)], JSON_UNESCAPED_UNICODE);"""
        ini = ("apc.enable_cli=1", "leveret.apcu_cli=shared", f"leveret.dir={self.arenas}", "leveret.apcu_arena=site", "apc.shm_size=256M")
        done = run([PHP, "-n", "-d", f"extension={EXTENSION}", *(word for line in ini for word in ("-d", line)), "-r", code])
        self.assertEqual("", done.stderr)
        heard, stored, counted = json.loads(done.stdout)
        self.assertEqual(["grüße", "grüße"], [heard[0], heard[2]])
        self.assertEqual([42, 42], [int(heard[1]), int(heard[3])])
        self.assertEqual(["grüße", 43, True, 50], [heard[4], heard[5], stored, counted])
        self.assertEqual([b"50", 51, b"text of PHP", b"100", 99], [talk("GET", "count"), talk("INCR", "count"), talk("GET", "from cache"), talk("GET", "number"), talk("DECR", "number")])
        self.assertEqual([b"99", b"text", b"5"], [talk("GET", "number"), talk("GET", "from_memcached"), talk("GET", "from apcu")])
        self.assertTrue(95 < talk("TTL", "from_memcached") <= 100)
        self.assertEqual("VALUE number 0 2\n99\nEND\n", tool("sh", "-c", f"printf 'get number\\r\\nquit\\r\\n' | nc -N 127.0.0.1 {self.memcached_port(server)}").stdout.replace("\r", ""))

    def memcached_port(self, server):
        return int(re.search(r"^TCP INET: (\d+)$", (server.folder / "ports").read_text(), re.MULTILINE)[1])


if __name__ == "__main__":
    unittest.main()
