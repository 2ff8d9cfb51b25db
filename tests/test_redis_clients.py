"""`leveret serve --redis` and the clients that people have: each makes the same calls on redis-server and on ours."""

import json
import re
import subprocess
import time
import unittest
from pathlib import Path

from redis_servers import RedisServer, Refusal, both
from servers import tool
from support import PATIENCE, ROOT, SystemTest, original_of

CLIENTS = ROOT / "tests" / "clients"
LARAVEL = Path("/usr/share/php/Illuminate/Redis").exists()
PREDIS = Path("/usr/share/php/Predis").exists()
DJANGO_REDIS = Path("/usr/lib/python3/dist-packages/django_redis").exists()

# Of each command that is refused one, and a word of the reason.
REFUSED = {
    "LPUSH q job": "queues", "RPUSH q job": "queues", "BLPOP q 1": "queues", "RPOPLPUSH a b": "queues", "XADD s * f v": "queues",
    "SUBSCRIBE c": "queues", "PUBLISH c m": "queues", "HSET h f v": "strings", "HGETALL h": "strings", "SADD s m": "strings", "ZADD z 1 m": "strings",
    "PFADD p e": "strings", "GEOADD g 1 2 m": "strings", "SORT q": "strings", "SAVE": "", "BGSAVE": "", "DUMP k": "", "REPLICAOF a 1": "", "CLUSTER INFO": "",
    "SWAPDB 0 1": "", "DEBUG SLEEP 0": "", "MONITOR": "", "SHUTDOWN": "", "FCALL f 0": "", "ACL SETUSER a": "",
}  # fmt: skip


class Clients(SystemTest):
    def compare(self, command_of, calls_min, servers=None, accepted=()):
        """`command_of(server)` prints a line for each call; both servers must have the same printed, the original's being true to begin with."""
        want, got = (self.lines(command_of(server)) for server in servers or both(self))
        self.assertGreater(len(want), calls_min, "\n".join(want))
        differences = [(mine, its) for mine, its in zip(got, want) if mine != its and mine not in accepted]
        self.assertEqual([], differences, "(ours, redis-server's)")
        self.assertEqual(len(want), len(got), "\n".join(got[-3:]))
        self.remark(f"{len(want)} calls compared")

    def lines(self, command):
        done = tool(*command)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def php_redis(self, script, *words, **options):
        return self.php_command(script, *words, provider=original_of("redis", **options), extensions=("ctype", "mbstring"))


class Languages(Clients):
    def test_php_redis(self):
        """php-redis' calls answer alike: values, times, counts, pipelines, transactions, WATCH, scripts that release locks, databases"""
        self.compare(lambda server: self.php_redis("redis_calls.php", "127.0.0.1", server.port), 40)

    def test_php_redis_unix(self):
        """php-redis' calls answer alike at a Unix socket"""
        self.compare(lambda server: self.php_redis("redis_calls.php", server.socket, 0), 40, both(self, unix=True))

    @unittest.skipUnless(PREDIS, "php-predis is not installed")
    def test_predis(self):
        """Predis' calls answer alike"""
        self.compare(lambda server: self.php_redis("predis_calls.php", "127.0.0.1", server.port), 12)

    def test_redis_py(self):
        """redis-py's calls answer alike: pipelines, transactions, WATCH of four threads, locks, scans, databases"""
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "redis_py.py", server.url], 40)

    def test_rails(self):
        """Rails' RedisCacheStore, and redis-rb's transactions, answer alike"""
        self.compare(lambda server: ["ruby", CLIENTS / "redis_rails.rb", server.url], 25)

    @unittest.skipUnless(DJANGO_REDIS, "python3-django-redis is not installed")
    def test_django_redis(self):
        """Django's cache and sessions on django-redis answer alike"""
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "django_redis_cache.py", f"{server.url}/1"], 25)

    @unittest.skipUnless(LARAVEL, "php-illuminate-redis is not installed")
    def test_laravel(self):
        """Laravel's cache with its locks and rate limiter answers alike; its locks in a database of their own stay when the cache is flushed"""
        self.compare(lambda server: self.php_redis("laravel_redis.php", "127.0.0.1", server.port), 40)

    def test_passwords(self):
        """a client without the password gets an error and reads nothing; with it, the calls answer alike"""
        servers = both(self, password="s3cret")
        for server in servers:
            talk = server.connect()
            self.assertEqual("NOAUTH Authentication required.", talk("GET", "k"))
            self.assertEqual("WRONGPASS invalid username-password pair or user is disabled.", talk("AUTH", "guess"))
            self.assertEqual("NOAUTH Authentication required.", talk("SET", "k", "v"))
            self.assertEqual("OK", talk("AUTH", "s3cret"))
            self.assertIsNone(talk("GET", "k"))
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "redis_py.py", server.url], 40, servers)

    def test_redis_cli(self):
        """redis-cli's commands answer alike: a ping, a value read from standard input, a scan, an inline request"""
        for server in both(self):
            cli = ["redis-cli", "-p", str(server.port)]
            self.assertEqual("PONG\n", tool(*cli, "ping").stdout)
            done = subprocess.run([*cli, "-x", "set", "page"], input="<p>a page</p>", capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual("OK\n", done.stdout)
            self.assertEqual("<p>a page</p>\n", tool(*cli, "get", "page").stdout)
            self.assertEqual("page\n", tool(*cli, "--scan").stdout)
            self.assertEqual('"OK"\n', tool(*cli, "-3", "--json", "set", "page", "1", "ex", "100").stdout)
            self.assertEqual("99\n", tool(*cli, "ttl", "page").stdout.replace("100", "99"))
            self.assertIn("redis_version:7.", tool(*cli, "info", "server").stdout)


class Refusals(Clients):
    def test_refused_by_name(self):
        """each command of a queue, a hash or an administrator is refused by name with its reason and the page, and the connection stays"""
        talk = RedisServer(self, "leveret").connect()
        for words, reason in REFUSED.items():
            answer = talk(*words.split())
            self.assertIsInstance(answer, Refusal, words)
            self.assertTrue(answer.startswith(f"UNSUPPORTED {words.split()[0]}"), answer)
            self.assertIn(reason, answer)
            self.assertEqual("PONG", talk("PING"))

    def test_php_redis_throws(self):
        """php-redis throws where Laravel's queue or tags would otherwise be lost in silence: an exception that names the command"""
        calls = """<?php
            $r = new Redis(); $r->connect('127.0.0.1', (int) $argv[1]);
            foreach ([fn() => $r->lPush('queue', 'job'), fn() => $r->zAdd('tag', 1, 'k'), fn() => $r->hSet('h', 'f', 1), fn() => $r->eval('return redis.call("rpush", KEYS[1], ARGV[1])', ['q', 'job'], 1)] as $call) {
                try { $heard[] = $call(); } catch (RedisException $e) { $heard[] = $e->getMessage(); }
            }
            $r->multi()->set('k', 1); try { $r->lPush('queue', 'job'); } catch (RedisException $e) { $heard[] = $e->getMessage(); }
            echo json_encode($heard);"""
        server = RedisServer(self, "leveret")
        done = tool(*self.php_redis(calls, server.port))
        self.assertEqual("", done.stderr)
        for name, said in zip(["LPUSH", "ZADD", "HSET", "this script", "LPUSH"], json.loads(done.stdout), strict=True):
            self.assertRegex(str(said), f"^UNSUPPORTED {name}")

    def test_queue_in_a_transaction(self):
        """a transaction that contains a refused command changes nothing"""
        talk = RedisServer(self, "leveret").connect()
        self.assertEqual(["OK", "QUEUED"], [talk("MULTI"), talk("SET", "k", 1)])
        self.assertTrue(talk("RPUSH", "q", "job").startswith("UNSUPPORTED RPUSH"))
        self.assertEqual("EXECABORT Transaction discarded because of previous errors.", talk("EXEC"))
        self.assertIsNone(talk("GET", "k"))


class Sessions(Clients):
    """php-redis' session handler, and ours."""

    def php_redis(self, script, *words, **options):
        return self.php_command(script, *words, provider=self.provider().with_ini(**options))

    def provider(self):
        return original_of("redis")

    def path(self, server, **more):
        return f"tcp://127.0.0.1:{server.port}?" + "&".join(f"{name}={value}" for name, value in more.items())

    def visitor(self, path, visits, nap_us, id="visitor7", **ini):
        return self.start(self.php_redis("redis_session.php", path, id, visits, nap_us, **ini), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def heard(self, process):
        said, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(0, process.returncode, errors)
        return json.loads(said)

    def test_locked(self):
        """of four workers that visit one session at once no visit is lost, the lock is gone afterwards, and the session has its lifetime"""
        for server in both(self):
            locking = {"redis.session.locking_enabled": 1, "redis.session.lock_retries": 5000, "redis.session.lock_wait_time": 2000, "session.gc_maxlifetime": 600}
            heard = [self.heard(worker) for worker in [self.visitor(self.path(server), 25, 500, **locking) for _ in range(4)]]
            self.assertEqual([], [answer["warnings"] for answer in heard if answer["warnings"]])
            self.assertEqual(list(range(1, 101)), sorted(count for answer in heard for count in answer["counts"]))
            talk = server.connect()
            self.assertTrue(talk("GET", "PHPREDIS_SESSION:visitor7").startswith(b"count|i:100;cart|"))
            self.assertEqual(0, talk("EXISTS", "PHPREDIS_SESSION:visitor7_LOCK"))
            self.assertIn(talk("TTL", "PHPREDIS_SESSION:visitor7"), (599, 600))

    def test_killed_worker(self):
        """a lock of a killed worker ends after lock_expire; until then others wait, and its unfinished visit is not in the session"""
        for server in both(self):
            locking = {"redis.session.locking_enabled": 1, "redis.session.lock_expire": 2, "redis.session.lock_retries": 5000, "redis.session.lock_wait_time": 2000}
            self.assertEqual([1], self.heard(self.visitor(self.path(server), 1, 0, **locking))["counts"])
            holder = self.visitor(self.path(server), 1, 60_000_000, **locking)
            talk = server.connect()
            self.wait_for("the lock", lambda: talk("EXISTS", "PHPREDIS_SESSION:visitor7_LOCK"))
            holder.kill()
            began = time.monotonic()
            self.assertEqual([2], self.heard(self.visitor(self.path(server), 1, 0, **locking))["counts"])
            self.assertGreater(time.monotonic() - began, 0.5)
            self.assertEqual(0, talk("EXISTS", "PHPREDIS_SESSION:visitor7_LOCK"))

    def test_database(self):
        """sessions in a database of their own stay when the cache's database is flushed"""
        for server in both(self):
            self.assertEqual([1, 2], self.heard(self.visitor(self.path(server, database=2, prefix="site:"), 2, 0))["counts"])
            talk = server.connect()
            self.assertEqual(["OK", "OK", 0, "OK", 1], [talk("SET", "k", 1), talk("FLUSHDB"), talk("DBSIZE"), talk("SELECT", 2), talk("DBSIZE")])
            self.assertTrue(talk("GET", "site:visitor7").startswith(b"count|i:2;"))


class OurSessions(Sessions):
    def provider(self):
        return self.ours(leveret__provide="redis")


if __name__ == "__main__":
    unittest.main()
