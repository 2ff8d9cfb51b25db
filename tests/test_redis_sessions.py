"""Sessions of the handler "redis" in ours: beside php-redis' on the same servers, under php-fpm, with workers that are killed, locks that are lost and servers that fail."""

import json
import socket
import subprocess
import unittest

import redis_suites
import session_visits
from redis_servers import RedisServer, free_port, request
from servers import tool
from session_visits import AFTER, BEFORE
from support import PATIENCE, SystemTest, original_of
from test_sessions import Page, Site

KEY = "PHPREDIS_SESSION:"
PATIENT = {"redis.session.locking_enabled": 1, "redis.session.lock_retries": 100_000, "redis.session.lock_wait_time": 2000, "redis.session.lock_expire": 60}
HASTY = {**PATIENT, "redis.session.lock_retries": 1, "redis.session.lock_wait_time": 1000}
HAS_SUITE = (redis_suites.PHP_REDIS / "modules" / "redis.so").exists()


def path_of(server, **more):
    words = "&".join(f"{name.replace('__', '[]')}={value}" for name, value in more.items())
    return (f"unix://{server.socket}?{words}" if server.socket else f"tcp://127.0.0.1:{server.port}?{words}").removesuffix("?")


class RedisSite(Site):
    def page(self, provider, name="site"):
        return Page(self, provider, name, "redis")

    def our_page(self):
        return self.page(self.ours(leveret__provide="apcu,redis"))

    def their_page(self):
        return self.page(redis_suites.original_class() if HAS_SUITE else original_of("redis"), "others")

    def visit_once(self, page, path, id, settings=PATIENT):
        return page.visit(path, id, settings)

    def server(self, kind, **more):
        server = RedisServer(self, kind, *(["--unixsocketperm", "777"] if more.get("unix") and kind == "redis" else []), **more)
        if server.socket:
            server.folder.chmod(0o755)
            server.socket.chmod(0o777)
        return server


class OnASite(RedisSite):
    def test_together(self):
        """Visitors of one session at the same time are each counted once, on redis-server and `leveret serve --redis`, over TCP and Unix sockets"""
        page = self.our_page()
        for kind in ("redis", "leveret"):
            for unix in (False, True):
                server = self.server(kind, unix=unix)
                self.visit_together((page, path_of(server)), settings=PATIENT)
                talk = server.connect()
                self.assertEqual(0, talk("EXISTS", KEY + "together_LOCK"))

    def test_together_mixed(self):
        """Visitors whose hosts have php-redis and visitors whose hosts have ours exclude each other: each is counted once"""
        ours, theirs = self.our_page(), self.their_page()
        for kind in ("redis", "leveret"):
            path = path_of(self.server(kind))
            self.visit_together((ours, path), (theirs, path), settings=PATIENT)

    def test_persistent(self):
        """Visitors over persistent connections are each counted once, and their workers keep one connection each"""
        page, server = self.our_page(), self.server("redis")
        self.visit_together((page, path_of(server, persistent=1, database=3)), settings=PATIENT)
        clients = server.connect()("CLIENT", "LIST").decode().splitlines()
        self.assertLessEqual(len(clients), len(page.fpm.workers()) + 1, clients)

    def test_killed(self):
        """The lock of a killed worker keeps others out until it expires, as php-redis' does; what it had not written is not in the session"""
        refused = []
        for page in (self.our_page(), self.their_page()):
            server = self.server("redis")
            path, lasting = path_of(server), {**PATIENT, "redis.session.lock_expire": 2}
            self.assertEqual(1, page.visit(path, "a", lasting))
            page.hold_and_kill(path, "a", {**PATIENT, "redis.session.lock_expire": 3600})
            status, text = page.ask(path, "a", HASTY)
            refused.append(json.loads(text))
            self.assertEqual(1, server.connect()("DEL", KEY + "a_LOCK"))
            page.hold_and_kill(path, "a", lasting)
            self.assertEqual(2, page.visit(path, "a", lasting))
            page.fpm.stop()
        ours, theirs = refused
        self.assertIsNone(ours["count"])
        if HAS_SUITE:  # an older one has other words
            self.assertEqual(theirs["warnings"][:1], ours["warnings"][:1])


class Handler(SystemTest):
    def providers(self):
        return {"ours": self.ours(leveret__provide="redis"), "theirs": redis_suites.original_class() if HAS_SUITE else original_of("redis")}

    def visits(self, who, server, path, prefix=KEY, **settings):
        command = self.php_command("redis_visits.php", path, server.port, prefix, json.dumps(settings), provider=self.providers()[who])
        done = tool(*command)
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    @unittest.skipUnless(HAS_SUITE, "php-redis 6.2.0 is missing: ./x test fetches it")
    def test_visits(self):
        """Every way to visit a session leaves on the server what php-redis leaves, with locks, early refresh, compression and other serializers too"""
        compared = 0
        for settings in (
            {},
            {"redis.session.locking_enabled": 1, "redis.session.lock_expire": 30},
            {"redis.session.locking_enabled": 1},
            {"redis.session.early_refresh": 1},
            {"redis.session.early_refresh": 1, "redis.session.locking_enabled": 1},
            {"redis.session.compression": "lzf"},
            {"session.serialize_handler": "php_serialize"},
            {"redis.session.compression": "nosuch"},
        ):
            said = {who: self.visits(who, *self.fresh(), **settings) for who in ("theirs", "ours")}
            compared += said["ours"].count("\n")
            self.assertEqual(said["theirs"], said["ours"], settings)
        self.remark(f"{compared} lines compared")

    def fresh(self, **more):
        server = RedisServer(self, "redis")
        return server, path_of(server, **more)

    def test_paths(self):
        """Paths with databases, prefixes, users, passwords of any characters, persistence, TLS and Unix sockets reach their session"""
        word = "p w#&%1"
        locked = RedisServer(self, "redis")
        locked.allow("site", "on", ">secret", "~site:*", "&*", "+@all")
        locked.allow("default", f">{word.replace(' ', '_')}")
        encrypted, ca = self.encrypted()
        plain = RedisServer(self, "redis")
        unix = RedisServer(self, "redis", unix=True)
        quoted = word.replace(" ", "_").replace("%", "%25").replace("&", "%26")
        for number, (server, path, database, key) in enumerate([
            (plain, path_of(plain, database=5), 5, KEY + "v"),
            (plain, path_of(plain, prefix="site:", timeout="2.5", read_timeout=3, retry_interval=10), 0, "site:v"),
            (plain, path_of(plain, persistent=1, persistent_id="a", database=2), 2, KEY + "v"),
            (plain, f"127.0.0.1:{plain.port}", 0, KEY + "v"),
            (plain, f" \t tcp://127.0.0.1:{plain.port}?weight=3,  ", 0, KEY + "v"),
            (unix, path_of(unix, database=1), 1, KEY + "v"),
            (unix, f"unix:{unix.socket}", 0, KEY + "v"),
            (unix, f"{unix.socket}", 0, KEY + "v"),
            (locked, f"tcp://127.0.0.1:{locked.port}?auth={quoted}", None, None),
            (locked, f"tcp://127.0.0.1:{locked.port}?auth[]=site&auth[]=secret&prefix=site:", None, None),
            (locked, f"tcp://127.0.0.1:{locked.port}?auth[user]=site&auth[pass]=secret&prefix=site:", None, None),
            (encrypted, f"tls://localhost:{encrypted.port}?stream[cafile]={ca}", None, None),
            (encrypted, f"tls://127.0.0.1:{encrypted.port}?stream[verify_peer]=0&stream[verify_peer_name]=0", None, None),
        ]):
            if server is plain:
                plain.connect()("FLUSHALL")
            elif server is unix:
                unix.connect()("FLUSHALL")
            heard = self.visitor(path, id="v" if key else f"visitor{number}")
            self.assertEqual({"counts": [1, 2], "warnings": []}, heard, path)
            if key:
                talk = server.connect()
                self.assertEqual(["OK", 1], [talk("SELECT", database), talk("EXISTS", key)], path)

    def encrypted(self):
        chain, key = self.folder / "chain.pem", self.folder / "key.pem"
        made = tool("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=cache", "-addext",
                    "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", chain)  # fmt: skip
        self.assertEqual(0, made.returncode, made.stderr)
        port = free_port()
        server = RedisServer(self, "redis", "--tls-port", str(port), "--tls-cert-file", str(chain), "--tls-key-file", str(key), "--tls-ca-cert-file", str(chain),
                             "--tls-auth-clients", "no")  # fmt: skip
        server.port = port
        return server, chain

    def visitor(self, path, visits=2, id="v", nap=0, who="ours", **ini):
        return self.heard(self.start_visitor(path, visits, id, nap, who, **ini))

    def start_visitor(self, path, visits, id, nap, who="ours", **ini):
        provider = self.providers()[who].with_ini(**ini)
        return self.start(self.php_command("redis_session.php", path, id, visits, nap, provider=provider), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def heard(self, process):
        said, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual((0, ""), (process.returncode, errors), said)
        return json.loads(said)

    def test_wrong_paths(self):
        """What names no server is refused with the place of the error, without the password in it"""
        for path, told in [
            ("tcp://127.0.0.1:1?weight=0&auth=secret", "(error at offset 0, url was 'tcp://127.0.0.1:1')"),
            ("tcp://a:1, tcp://b:99999999", "(error at offset 11, url was 'tcp://b:99999999')"),
            ("tcp://a:1?timeout=-1", "(error at offset 0, url was 'tcp://a:1')"),
            ("http://a:1", "(error at offset 0, url was 'http://a:1')"),
            ("tcp://a:1?weight=2000000000 tcp://b:1?weight=2000000000", "(error at offset 28, url was 'tcp://b:1')"),
            ("", None),
            (" , ", None),
        ]:
            heard = self.visitor(path, visits=1)
            self.assertIn("session_start(): Failed to initialize storage module: redis (path: " + path + ")", heard["warnings"], path)
            if told:
                self.assertEqual(f"session_start(): Failed to parse session.save_path {told}", heard["warnings"][0])
            self.assertNotIn("secret", heard["warnings"][0])

    def test_places(self):
        """Of several servers with weights each session is where php-redis puts it"""
        servers = [RedisServer(self, "redis") for _ in range(3)]
        path = ", ".join(path_of(server, weight=weight) for server, weight in zip(servers, (1, 2, 5)))
        places = {}
        for who in ("theirs", "ours"):
            script = """<?php
                ini_set('session.save_handler', 'redis'); ini_set('session.save_path', $argv[1]); ini_set('session.use_cookies', 0); ini_set('session.cache_limiter', '');
                ini_set('session.use_only_cookies', 0); mt_srand(1); ob_start();
                for ($i = 0; $i < 200; $i++) { session_id(substr(md5((string) mt_rand()), 0, mt_rand(4, 32))); session_start(); $_SESSION['n'] = $i; session_write_close(); }"""
            done = tool(*self.php_command(script, path, provider=self.providers()[who]))
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            places[who] = [sorted(server.connect()("KEYS", "*")) for server in servers]
            self.assertEqual(200, sum(map(len, places[who])))
            for server in servers:
                server.connect()("FLUSHALL")
        self.assertEqual(places["theirs"], places["ours"])
        self.assertTrue(all(len(keys) > 10 for keys in places["ours"]))

    LOCKING = {"redis.session.locking_enabled": 1, "redis.session.lock_expire": 1, "redis.session.lock_retries": 5000, "redis.session.lock_wait_time": 2000}
    LOST = ["session_write_close(): Session lock expired", "session_write_close(): Unable to write session: session lock not held"]

    def test_expired_lock(self):
        """A visit whose lock has expired writes nothing and warns, whether or not another visit has the lock"""
        for kind in ("redis", "leveret"):
            for is_taken in (True, False):
                server = RedisServer(self, kind)
                path, talk = path_of(server), server.connect()
                slow = self.start_visitor(path, 1, "v", 2_500_000, **self.LOCKING)
                self.wait_for("the lock", lambda: talk("EXISTS", KEY + "v_LOCK"))
                self.wait_for("its end", lambda: not talk("EXISTS", KEY + "v_LOCK"))
                if is_taken:
                    self.assertEqual({"counts": [1], "warnings": []}, self.visitor(path, 1, **self.LOCKING))
                left = talk("GET", KEY + "v")
                heard = self.heard(slow)
                self.assertEqual(self.LOST, heard["warnings"][:2], kind)
                self.assertEqual(left, talk("GET", KEY + "v"))

    def test_lock_lost_while_writing(self):
        """A lock that is lost between the check and the write prevents the write; no other visit's lock is released"""
        for kind in ("redis", "leveret"):
            server = RedisServer(self, kind)
            talk = server.connect()
            way = Way(self, server, b"MULTI", lambda: talk("SET", KEY + "v_LOCK", "another one"))
            heard = self.visitor(f"tcp://127.0.0.1:{way.port}", 1, **self.LOCKING)
            self.assertEqual(1, way.times)
            self.assertEqual(self.LOST, heard["warnings"][:2])
            self.assertEqual([0, b"another one"], [talk("EXISTS", KEY + "v"), talk("GET", KEY + "v_LOCK")])

    def test_users_without_watch(self):
        """For a user without WATCH the lock is still compared: a session is written, one with a lost lock is not"""
        server = RedisServer(self, "redis")
        server.allow("site", "on", ">secret", "~*", "&*", "+@all", "-watch", "-multi")
        talk, path = server.connect(), path_of(server) + "?auth[]=site&auth[]=secret"
        self.assertEqual({"counts": [1, 2], "warnings": []}, self.visitor(path, 2, **self.LOCKING))
        slow = self.start_visitor(path, 1, "v", 2_000_000, **self.LOCKING)
        self.wait_for("the lock", lambda: talk("EXISTS", KEY + "v_LOCK"))
        talk("SET", KEY + "v_LOCK", "another one")
        self.assertEqual(self.LOST, self.heard(slow)["warnings"][:2])
        self.assertTrue(talk("GET", KEY + "v").startswith(b"count|i:2;"))

    def test_compression(self):
        """Sessions are compressed by the setting and read by hosts with and without it, where it is known what they are; a session that memory_limit has no room for fails and stays"""
        server = RedisServer(self, "redis")
        path, talk = path_of(server), server.connect()
        for compression in ("lzf", "lz4", "none"):
            self.assertEqual({"counts": [1, 2], "warnings": []}, self.visitor(path, 2, compression, **{"redis.session.compression": compression}))
            self.assertEqual(compression == "none", talk("GET", KEY + compression).startswith(b"count|"))
        # Written before compression was chosen.
        self.assertEqual({"counts": [3], "warnings": []}, self.visitor(path, 1, "none", **{"redis.session.compression": "lzf"}))
        fill = """<?php ini_set('session.save_handler', 'redis'); ini_set('session.save_path', $argv[1]); ini_set('session.use_cookies', 0); ini_set('session.use_only_cookies', 0);
            ob_start(); session_id('large'); session_start(); $_SESSION['l'] = str_repeat('x', 60 << 20); session_write_close();"""
        done = tool(*self.php_command(fill, path, provider=self.ours(leveret__provide="redis", memory_limit="512M", redis__session__compression="lz4")))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        stored = talk("GET", KEY + "large")
        heard = self.visitor(path, 1, "large", **{"redis.session.compression": "lz4", "memory_limit": "32M"})
        self.assertIn("larger than memory_limit allows", heard["warnings"][0])
        self.assertEqual(stored, talk("GET", KEY + "large"))


class Way(session_visits.Way):
    """The way to a server. Before a request of this name is forwarded, `happen` runs."""

    def __init__(self, test, server, name, happen):
        self.name_seen, self.happen, self.times = request([name]).partition(b"\r\n")[2], happen, 0
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        super().__init__(test, listener, lambda: socket.create_connection(("127.0.0.1", server.port)), self.watch)

    def watch(self, said):
        if self.name_seen in said:
            self.times += 1
            self.happen()
        return said


class Failures(SystemTest):
    """What could not be read is not written over."""

    def visits(self, path, *words, **ini):
        return session_visits.visits(self, "redis", path, *words, **ini)

    LOCKED = {"redis.session.locking_enabled": 1, "redis.session.lock_expire": 5}

    def test_hanging(self):
        """While its server hangs no session starts, nothing is written over it, and it is there for the next visit, locked or not"""
        for ini in ({}, {"redis.session.early_refresh": 1}, {**self.LOCKED, "redis.session.lock_expire": 1}):
            for kind in ("redis", "leveret"):
                server = RedisServer(self, kind)
                said = self.visits(path_of(server, read_timeout=0.4), "read", *session_visits.hang(server), **ini)
                self.assertIn("Failed to read session data: redis", said)
                self.assertIn('failing: [false,[]]\nwritten: false\n', said)
                self.assertTrue(said.startswith(BEFORE), said)
                self.assertTrue(said.endswith(AFTER), said)

    def test_validate(self):
        """In strict mode a session keeps its id while its server does not answer"""
        server = RedisServer(self, "redis")
        said = self.visits(path_of(server, read_timeout=0.4), "validate", *session_visits.hang(server))
        self.assertNotIn("of another session", said)
        self.assertTrue(said.endswith(AFTER), said)

    def test_destroy(self):
        """A session that its server does not delete is not said to be destroyed"""
        server = RedisServer(self, "redis")
        said = self.visits(path_of(server, read_timeout=0.4), "destroy", *session_visits.hang(server))
        self.assertIn("warning: session_destroy(): Session object destruction failed\nfalse\n", said.replace("destroyed: ", ""))

    def test_refusals(self):
        """A server that is loading, read-only, full, or has another type at the key fails the visit with its reason; the next one works"""
        for command, back, where, reason in [
            (["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"], "write", "OOM command not allowed"),
            (["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"], "write", "READONLY You can't write"),
            (["RPUSH", KEY + "v", "x"], ["DEL", KEY + "v"], "read", "WRONGTYPE"),
        ]:
            for locking in (0, 1):
                server = RedisServer(self, "redis")
                talk = server.connect()
                self.assertNotIsInstance(talk(*command), type(None))
                script = """<?php set_error_handler(function ($n, $t) { echo "$t\n"; return true; }); ob_start();
                    foreach (['save_handler' => 'redis', 'save_path' => $argv[1], 'use_cookies' => 0, 'use_only_cookies' => 0, 'cache_limiter' => ''] as $n => $v) { ini_set("session.$n", $v); }
                    session_id('v'); var_dump(session_start()); $_SESSION['n'] = 1; var_dump(session_write_close());"""
                provider = self.ours(leveret__provide="redis").with_ini(**{"redis.session.locking_enabled": locking, "redis.session.lock_expire": 5})
                said = self.run_php(script, path_of(server), provider=provider).stdout
                self.assertIn(reason, said)
                # Where it cannot be locked it is not read.
                does_not_start = where == "read" or locking
                self.assertEqual(does_not_start, "Failed to read session data: redis" in said, said)
                self.assertEqual(not does_not_start, "Failed to write session data (redis)" in said, said)
                talk(*back)
                self.assertEqual("bool(true)\nbool(true)\n", self.run_php(script, path_of(server), provider=provider).stdout)
                self.assertEqual(0, talk("EXISTS", KEY + "v_LOCK"))


if __name__ == "__main__":
    unittest.main()
