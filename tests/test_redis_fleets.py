"""Hosts with php-redis and hosts with ours on the same Redis: whoever stored a value or a session, worked on it and reads it, the outcome is that of php-redis alone.

As test_mixed_fleets.py, with the same words for longer runs: LEVERET_FLEET, LEVERET_SEED, LEVERET_FLEET_ONLY."""

import hashlib
import unittest

import redis_suites
import test_mixed_fleets
from redis_fleets import Classes, RedisSessions
from redis_servers import RedisServer
from support import original_of

HAS_SUITE = (redis_suites.PHP_REDIS / "modules" / "redis.so").exists()


class Looker:
    """Reads the items of the servers."""

    def __init__(self, servers):
        self.talks = [server.connect() for server in servers]

    def forget(self):
        for talk in self.talks:
            talk("FLUSHALL")

    def items(self, keys):
        """Of each key: its type, the length of its values, and their hash."""
        return [[item for talk in self.talks if (item := self.item(talk, key))] for key in keys]

    def item(self, talk, key):
        kind = talk("TYPE", key)
        ask = {"string": ("GET", key), "hash": ("HGETALL", key), "list": ("LRANGE", key, 0, -1), "set": ("SMEMBERS", key), "zset": ("ZRANGE", key, 0, -1, "WITHSCORES")}.get(kind)
        if not ask:
            return None
        value = talk(*ask)
        parts = sorted(value) if isinstance(value, list) else [value]
        # No value names its writer: names of the cells are those of keys.
        return kind, sum(map(len, parts)), hashlib.sha1(b"\0".join(parts)).hexdigest()[:12]


class RedisFleets(test_mixed_fleets.Fleet):
    def begin(self, original):
        self.module, self.hosts, self.made = "redis", {}, original
        self.servers = [RedisServer(self, "redis") for _ in range(3)]
        self.unix = RedisServer(self, "redis", unix=True)
        self.looker = Looker([*self.servers, self.unix])

    def original(self):
        return self.made

    @unittest.skipUnless(HAS_SUITE, f"{redis_suites.SUITES} is missing: ./x test fetches it")
    def test_class(self):
        """Values of the class Redis are those of php-redis 6.2.0: every structure, serializer, compression and prefix"""
        self.begin(redis_suites.original_class())
        self.try_all(Classes(str(self.unix.socket), ["LZF"], ["NONE", "PHP", "JSON", "IGBINARY"], True).all())

    def test_class_of_debian(self):
        """Values of the class Redis are those of Debian's php-redis, compressed by LZ4 too"""
        self.begin(original_of("redis"))
        self.try_all(Classes(str(self.unix.socket), ["LZF", "LZ4"], ["PHP", "IGBINARY"], False).all())

    @unittest.skipUnless(HAS_SUITE, f"{redis_suites.SUITES} is missing: ./x test fetches it")
    def test_sessions(self):
        """Sessions of the handler "redis" move between hosts with either provider: locked, compressed, on several servers"""
        self.begin(redis_suites.original_class())
        self.try_all(RedisSessions(self.servers, ["LZF"]).all())

    @unittest.skipUnless(HAS_SUITE, f"{redis_suites.SUITES} is missing: ./x test fetches it")
    def test_random(self):
        """Random configurations of the class Redis and its sessions: as many as LEVERET_FLEET says, from LEVERET_SEED on"""
        self.begin(redis_suites.original_class())
        self.try_all(self.randomly(Classes(str(self.unix.socket), ["LZF"], ["NONE", "PHP", "JSON", "IGBINARY"], True)), is_random=True)
        self.try_all(self.randomly(RedisSessions(self.servers, ["LZF"])), is_random=True)


if __name__ == "__main__":
    unittest.main()
