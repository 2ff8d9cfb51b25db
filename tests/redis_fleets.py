"""Configurations of a mixed fleet of php-redis and ours: the class Redis and its sessions."""

import json

import fleets
from fleets import ARRAYS, FEW_SESSIONS, LARGE_SESSIONS, OBJECTS, PLACED_SESSIONS, SCALARS, SESSIONS, SHARES, SIZES, TEXTS, alone, worked

LARGE = ["same 65536", "words 300000", "noise 70000", "same 2097152", "words 1500000", "rows 1000", "range 20000"]
VALUES = alone(SCALARS, TEXTS, ARRAYS, OBJECTS)
COUNTED = ["json 5", "json -5", "json 1.5", "text 5", "text abc", "PHP_INT_MAX", "json true"]
STRING_WORKS = ["append +", "incr 3", "incrByFloat 1.5", "set text new", "getset json [1]", "get words 3000", "rename", "watch json 7", "delete"]
KINDS = {
    "string": STRING_WORKS, "setnx": ["getset json 5"], "mset": ["append x"], "hash": ["field json [1]", "count 3", "delete"], "list": ["push text new", "push json [1]"],
    "set": ["member text new"], "zset": ["member json [2]"], "pipeline": ["incr 3"], "multi": ["set json 5"],
}  # fmt: skip


class RedisBatch(fleets.Batch):
    def is_as_good(self, want, found):
        """Bytes are the original's; compressed ones are ours in our own way, and not much longer."""
        compressed = self.config.get("options", {}).get("COMPRESSION", "COMPRESSION_NONE") != "COMPRESSION_NONE"
        if not compressed:
            return want == found
        return [kind for kind, _, _ in want] == [kind for kind, _, _ in found] and all(size <= 1.6 * length + 64 for (_, size, _), (_, length, _) in zip(found, want))


class Classes:
    """Batches of the class Redis on one server."""

    def __init__(self, socket, compressions, serializers, is_new):
        self.at, self.compressions, self.serializers, self.is_new = [socket], compressions, serializers, is_new

    def batch(self, name, kind, cells, **options):
        return RedisBatch(f"redis, {name}", cells, prefix=options.get("PREFIX", ""), host="Redis", at=self.at, kind=kind, options=options, many=False)

    def all(self):
        kinds = KINDS if self.is_new else {kind: [work for work in works if work != "get words 3000"] for kind, works in KINDS.items()}
        for serializer in self.serializers:
            # Both send an empty value for what JSON cannot express; ids of objects differ.
            values = VALUES if serializer != "NONE" else alone(SCALARS, TEXTS, ARRAYS[:3])
            if serializer == "IGBINARY":
                # The original returns values that were appended to, too, and igbinary warns.
                kinds = {kind: [work for work in works if not work.startswith("append")] for kind, works in kinds.items()}
            for kind, works in kinds.items():
                cells = values + worked(COUNTED, works) + (alone(SIZES[::3], LARGE) if kind == "string" else [])
                yield self.batch(f"{serializer}, {kind}", kind, cells, SERIALIZER=f"SERIALIZER_{serializer}")
            # The original reads beyond the decompressed data, and finds no JSON there.
            for compression in self.compressions if serializer != "JSON" else []:
                for kind in ("string", "hash", "list", "pipeline"):
                    cells = values[::2] + alone(SIZES[::2], SHARES[::3], LARGE if kind == "string" else []) + worked(["json 5", "words 3000"], ["getset json [1]", "set words 5000", "rename"] if kind == "string" else [])
                    yield self.batch(f"{serializer}, {compression}, {kind}", kind, cells, SERIALIZER=f"SERIALIZER_{serializer}", COMPRESSION=f"COMPRESSION_{compression}")
            yield self.batch(f"{serializer} with a prefix", "string", values[::3] + worked(COUNTED, kinds["string"]), PREFIX="site:", SERIALIZER=f"SERIALIZER_{serializer}")
            if self.is_new:
                yield self.batch(f"{serializer} without numbers", "string", values + worked(COUNTED, kinds["string"]), SERIALIZER=f"SERIALIZER_{serializer}", PACK_IGNORE_NUMBERS=True)

    def random(self, chance):
        options = {"SERIALIZER": f"SERIALIZER_{chance.choice(self.serializers)}"}
        if chance.random() < 0.4 and options["SERIALIZER"] != "SERIALIZER_JSON":
            options["COMPRESSION"] = f"COMPRESSION_{chance.choice(self.compressions)}"
            options["COMPRESSION_LEVEL"] = chance.choice([0, 1, 9])
        if chance.random() < 0.3:
            options["PREFIX"] = chance.choice(["p:", "\x01", "{tag}"])
        kind = chance.choice(list(KINDS))
        values = SCALARS + TEXTS + (OBJECTS + ARRAYS if options["SERIALIZER"] != "SERIALIZER_NONE" else ARRAYS[:3]) + SIZES + SHARES + LARGE[:3]
        works = [] if "COMPRESSION" in options else [work for work in KINDS[kind] if not work.startswith("append")]
        cells = alone(chance.sample(values, 30)) + worked(chance.sample(COUNTED, 3), works)
        return self.batch(f"random {chance.seed_said}: {kind} {json.dumps(options)}", kind, cells, **options)


class RedisSessions:
    """Batches of the session handler "redis"."""

    def __init__(self, servers, compressions):
        self.servers, self.compressions = servers, compressions

    def path(self, weights=(1,), **more):
        words = "".join(f"&{name}={value}" for name, value in more.items())
        return ", ".join(f"tcp://127.0.0.1:{server.port}?weight={weight}{words}" for server, weight in zip(self.servers, weights))

    def batch(self, name, cells, path=None, **ini):
        settings = {"session.save_handler": "redis", "session.save_path": path or self.path()}
        settings |= {key.replace("__", "."): value for key, value in ini.items()}
        # Fresh: where a session of the original could not be decoded its settings stay as they are.
        return RedisBatch(f"sessions redis, {name}", cells, host="Session", ini=settings, look=False, fresh=True)

    def all(self):
        yield self.batch("as it comes", SESSIONS + alone(LARGE_SESSIONS))
        for handler in ("php", "php_binary", "php_serialize", "igbinary"):
            yield self.batch(handler, FEW_SESSIONS, session__serialize_handler=handler)
            for compression in self.compressions:
                yield self.batch(f"{handler}, {compression}", FEW_SESSIONS, session__serialize_handler=handler, redis__session__compression=compression.lower())
        for name, value in {"lazy_write": 0, "use_strict_mode": 1}.items():
            yield self.batch(f"{name} {value}", FEW_SESSIONS, **{f"session.{name}": value})
        locking = {"redis.session.locking_enabled": 1, "redis.session.lock_expire": 20}
        yield self.batch("locked", SESSIONS, **locking)
        yield self.batch("locked for ever", FEW_SESSIONS, **{**locking, "redis.session.lock_expire": 0})
        yield self.batch("refreshed early", FEW_SESSIONS, redis__session__early_refresh=1)
        yield self.batch("locked and refreshed early", FEW_SESSIONS, redis__session__early_refresh=1, **locking)
        yield self.batch("weights", PLACED_SESSIONS, self.path((1, 3, 6)))
        yield self.batch("database and prefix", FEW_SESSIONS, self.path(database=3, prefix="site:"))
        yield self.batch("persistent", FEW_SESSIONS, self.path(persistent=1, persistent_id="a"))

    def random(self, chance):
        own = {"locking_enabled": [0, 1], "early_refresh": [0, 1], "compression": ["none", *(name.lower() for name in self.compressions)], "lock_expire": [0, 30]}
        ini = {f"redis.session.{name}": chance.choice(values) for name, values in own.items() if chance.random() < 0.6}
        ini["session.serialize_handler"] = chance.choice(["php", "php_binary", "php_serialize", "igbinary"])
        # Of several servers the original gives locks back to the wrong one.
        count = 1 if ini.get("redis.session.locking_enabled") else chance.randint(1, 3)
        path = self.path([chance.randint(1, 3) for _ in range(count)], **({"database": 2} if chance.random() < 0.3 else {}))
        return self.batch(f"random {chance.seed_said}: {path} {ini}", PLACED_SESSIONS[:20] + chance.sample(SESSIONS, 20), path, **ini)
