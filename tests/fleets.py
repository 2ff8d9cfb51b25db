"""Values, operations and configurations of a mixed fleet, for both classes and for sessions."""

import json

from support import PHP, run

# --- Values and operations -----------------------------------------------------------------------------------------------------------

SCALARS = ["json 0", "json 1", "json -1", "json 42", "PHP_INT_MAX", "PHP_INT_MIN", "json 0.1", "json -0.5", "-0.0", "json 5.0", "json 1.5", "third", "pi",
           "huge", "tiny", "digits", "e15", "e22", "small", "INF", "-INF", "NAN", "json true", "json false", "json null"]  # fmt: skip
TEXTS = ["text ", "text 0", "text 42", "text -5", "text 5 ", "text abc", "text 1e3", "bytes", "lines", "utf8"]
ARRAYS = ["json []", "json [1,2,3]", 'json {"a":{"b":[1,null,1.5,"x"]}}', "int keys", "deep", "rows 3", "rows 100"]
CIRCLES = ["tree", "own reference", "twins"]
OBJECTS = ["references", "std", "careful", "sleeper", "enum", "date", "arrayobject", "queue"]
CLOSURES = ["closure", "closure inside"]
KINDS = ["same", "words", "noise"]
# Around the limits of compression: php-memcached's threshold and factor 1.3, pecl/memcache's threshold and 20 percent.
SIZES = [f"{kind} {size}" for kind in KINDS for size in (1, 13, 1999, 2000, 2001, 5000, 19999, 20000, 20001)]
SHARES = [f"{share} {size}" for share in (10, 19, 21, 22, 23, 24, 25, 30) for size in (3000, 30000)]
# FastLZ's second level begins at 64 KiB; a memcached takes items below 1 MiB with their keys and heads.
LARGE = [f"{kind} {size}" for kind in KINDS for size in (65535, 65536, 70000, 300000, 1048000)] + ["same 2097152", "words 2097152"]
LARGE += ["23 66000", "30 200000", "rows 4000", "range 200000", "noise 1048400", "noise 1048516", "noise 1048576", "noise 2097152"]

# No number from 2^63 on: memcached 1.6.18 then reads beyond the item.
COUNTED = ["json 5", "json 0", "json -5", "PHP_INT_MAX", "json 5.0", "json 1.5", "json true", "json false", "json null", "text 5", "text 007", "text 12 ", "text abc",
           "text ", "text 9223372036854775807", "json [1]", "std", "words 3000"]  # fmt: skip
WORKS = ["append +", "append 7", "prepend 1", "inc 1", "inc 10", "dec 1", "dec 100", "inc 9223372036854775807", "replace text new", "add text new", "set json 7", "set words 3000",
         "cas text new", "cas rows 100", "stale json 8", "touch 500", "delete 0", "make 5"]  # fmt: skip
VISITS = ["look", "count", "grow", "shrink", "empty", "destroy", "regenerate"]


def alone(*lists):
    return [[value, ""] for values in lists for value in values]


def worked(values, works):
    return [[value, work] for value in values for work in works]


PLACED = alone([f"json {number}" for number in range(60)]) + worked(["json 5", "text a"], ["append +", "inc 1", "cas text new", "delete 0"])


def version_of(module):
    return run([PHP, "-n", "-d", f"extension={module}.so", "-r", f"echo phpversion('{module}');"]).stdout


# With Debian 13's msgpack the original ends by a signal.
MSGPACK_IS_SOUND = not version_of("msgpack").startswith("3.0.")
# Debian 13's pecl/memcache may wait for locks of its own where it puts sessions on as many servers as there are, or may try one other only.
WAITS_FOR_ITSELF = version_of("memcache") == "8.2"


class Batch:
    """A configuration and its cells."""

    def __init__(self, name, cells, prefix="", look=True, process=None, fresh=False, **config):
        self.name, self.config, self.prefix = name, {**config, "cells": cells}, prefix
        # Settings for PHP's start; and whether the processes must be new.
        self.process, self.fresh = process or {}, fresh
        # Whether the names of the items there are known.
        self.keys = look

    def key(self, cell):
        """As key_of() of fleet.php."""
        names, _, number = cell.partition(".")
        return f"{self.prefix}{self.config.get('keys', '')}{names}{self.config.get('separator', '.')}{number}{self.config.get('tail', '')}"

    def is_as_good(self, want, found):
        """Whether such items may be where the original's are. Compressed ones differ, and are hardly larger."""
        compressed = {"Memcached": 0x10, "Memcache": 2}[self.config["host"]]
        if self.fresh:
            # How many places a key of pecl/memcache finds for its copies goes by the key, which has the writer's name in it.
            want, found = sorted(set(want)), sorted(set(found))

        def is_one(want, found):
            (flags, size, left), (flags_found, size_found, left_found) = want, found
            if size < 16 and size_found < size:  # FastLZ does not try that
                return left == left_found
            return (flags, left) == (flags_found, left_found) and (size == size_found or (flags & compressed and size_found <= 1.03 * size + 16))

        return len(want) == len(found) and all(map(is_one, want, found))


def as_original(cell):
    """The same cell where the originals are among themselves."""
    names, dot, number = cell.partition(".")
    return names.replace("l", "o") + dot + number if dot else cell


# --- Configurations: the class Memcached ---------------------------------------------------------------------------------------------

HASHES = ["DEFAULT", "MD5", "CRC", "FNV1_64", "FNV1A_64", "FNV1_32", "FNV1A_32", "HSIEH", "MURMUR"]
DISTRIBUTIONS = ["MODULA", "CONSISTENT"]
VALUES = alone(SCALARS, TEXTS, ARRAYS, OBJECTS, CIRCLES)
WORKED = worked(COUNTED, WORKS)
# Without circles: ours refuses values that JSON cannot express, and the original stores a part or null (docs/reference/differences.md).
AS_JSON = alone(SCALARS, TEXTS, ARRAYS, OBJECTS)
SOME = AS_JSON[::3] + alone(SIZES[::4])
# Quiet requests. If the server answers one, the original closes its connection first, and loses later writes.
SILENT = ["replace text new", "set json 7", "set words 3000", "delete 0"]
# Requests that the original queues. With others between them an assertion of its library ends the process.
QUEUED = ["set json 7", "set words 3000", "delete 0"]
SOME_WORKED = worked(["json 5", "text abc", "words 3000", "json [1]"], WORKS)


def options(**values):
    """Steps in the order of the words. A text names a constant of the class, but for the prefix."""
    return [["option", f"OPT_{name}", value] for name, value in values.items()]


class Memcached:
    """Batches of the class Memcached on some servers: one, by its Unix socket, and four, one of which has a Unix socket."""

    def __init__(self, sockets, addresses):
        self.one = [["server", "", [sockets[0], 0]]]
        self.places = [[*address, 0] for address in addresses] + [[sockets[0], 0, 0]]
        self.four = [["servers", "", self.places]]

    def batch(self, name, cells, steps=(), servers=None, **config):
        return Batch(f"memcached, {name}", cells, host="Memcached", steps=[*(self.one if servers is None else servers), *steps], **config)

    def weighted(self, *weights):
        return [["servers", "", [[host, port, weight] for (host, port, _), weight in zip(self.places, weights)]]]

    def bytes(self):
        """What an item's bytes and flags depend on."""
        yield self.batch("as it comes", VALUES + alone(CLOSURES, SIZES, SHARES, LARGE) + WORKED)
        yield self.batch("plain", VALUES + alone(SIZES, LARGE[::3]) + WORKED, options(COMPRESSION=False))
        for serializer in ("PHP", "IGBINARY", "JSON", "JSON_ARRAY", *(["MSGPACK"] if MSGPACK_IS_SOUND else [])):
            values = AS_JSON if "JSON" in serializer else VALUES + alone(CLOSURES)
            yield self.batch(f"serializer {serializer}", values + alone(["rows 4000"]) + SOME_WORKED, options(SERIALIZER=f"SERIALIZER_{serializer}"))
            yield self.batch(f"serializer {serializer} by INI", SOME, ini={"memcached.serializer": serializer.lower()})
        for kind in ("FASTLZ", "ZLIB"):
            yield self.batch(f"compression {kind}", alone(SIZES, SHARES, LARGE, ARRAYS) + SOME_WORKED, options(COMPRESSION_TYPE=f"COMPRESSION_{kind}"))
            yield self.batch(f"compression {kind} by INI", SOME, ini={"memcached.compression_type": kind.lower()})
        for factor in ("0", "1", "1.25", "2", "8", "-1"):
            yield self.batch(f"factor {factor}", alone(SIZES[::2], SHARES), ini={"memcached.compression_factor": factor})
        for threshold in ("0", "100", "2001", "20000", "-1"):
            yield self.batch(f"threshold {threshold}", alone(SIZES, ARRAYS, TEXTS), ini={"memcached.compression_threshold": threshold})
        for flags in (0, 1, 0x1234, 65535, 70000, -1):
            yield self.batch(f"user flags {flags}", SOME + SOME_WORKED, options(USER_FLAGS=flags, COMPRESSION_TYPE="COMPRESSION_ZLIB"))
        yield self.batch("flags with the call", SOME, how="flagged")
        yield self.batch("binary", VALUES + alone(SIZES, LARGE[::3]) + WORKED, options(BINARY_PROTOCOL=True))
        yield self.batch("binary and plain", VALUES + WORKED, options(BINARY_PROTOCOL=True, COMPRESSION=False))
        yield self.batch("binary by INI", SOME + SOME_WORKED, ini={"memcached.default_binary_protocol": 1})
        for setting in ({"precision": 14}, {"precision": 3}, {"precision": -1}, {"serialize_precision": 17}, {"serialize_precision": 5}):
            for serializer in ("PHP", "JSON", "IGBINARY"):
                yield self.batch(f"{setting} {serializer}", alone(SCALARS, ARRAYS), options(SERIALIZER=f"SERIALIZER_{serializer}"), ini=setting)

    def ways(self):
        """What changes how a request travels, and should change nothing else."""
        flags = ["NO_BLOCK", "TCP_NODELAY", "TCP_KEEPALIVE", "VERIFY_KEY", "BUFFER_WRITES", "NOREPLY", "HASH_WITH_PREFIX_KEY", "SORT_HOSTS", "CACHE_LOOKUPS",
                 "REMOVE_FAILED_SERVERS", "RANDOMIZE_REPLICA_READ", "AUTO_EJECT_HOSTS"]  # fmt: skip
        numbers = {"SOCKET_SEND_SIZE": 5000, "SOCKET_RECV_SIZE": 5000, "CONNECT_TIMEOUT": 2000, "RETRY_TIMEOUT": 1, "SERVER_FAILURE_LIMIT": 1, "STORE_RETRY_COUNT": 3,
                   "POLL_TIMEOUT": 10000, "SEND_TIMEOUT": 50, "RECV_TIMEOUT": 50, "DEAD_TIMEOUT": 5, "SERVER_TIMEOUT_LIMIT": 2}  # fmt: skip
        for binary in (False, True):
            for name, value in [*((flag, True) for flag in flags), *numbers.items()]:
                steps = options(BINARY_PROTOCOL=binary, **{name: value})
                cells = SOME + alone(["noise 300000"]) + SOME_WORKED
                if (name, binary) == ("NOREPLY", True):
                    cells = SOME + worked(["json 5", "text abc"], SILENT)
                elif name == "BUFFER_WRITES":
                    # Ours sends larger writes at once, and the result code says so (docs/reference/differences.md).
                    queued = [cell for cell in SOME if cell[0] not in ("noise 19999", "words 20000")]
                    cells = queued + worked(["json 5", "text abc"], QUEUED)
                yield self.batch(f"{name} {value}{' binary' if binary else ''}", cells, steps)
        for how in ("many", "add"):
            yield self.batch(how, SOME, how=how)
        for prefix in ("p.", "p:p/", "x" * 100, "x" * 127, "x" * 128, "x" * 200, "\u00fc."):
            yield self.batch(f"prefix of {len(prefix)}, {prefix[:4]}", SOME + SOME_WORKED, options(PREFIX_KEY=prefix), prefix=prefix, look=len(prefix) <= 100)
        for separator in (" ", "\t", "\u00e9", "\x7f", "%"):
            yield self.batch(f"keys with {separator!r}, binary", alone(TEXTS), options(BINARY_PROTOCOL=True), separator=separator)
            # In text 3.2 refuses keys that 3.3 and ours take, and sends others that no server understands with getMulti (docs/reference/differences.md); 3.3 takes
            # DEL, and ours does not.
            if separator not in ("\u00e9", "\x7f"):
                yield self.batch(f"keys with {separator!r}", alone(TEXTS), separator=separator, many=separator == "%")
        for length in (245, 246, 247, 248, 300):
            yield self.batch(f"long keys {length}", alone(TEXTS), keys="k" * length, look=False)

    def rings(self):
        """The settings that decide which server has an item."""
        for hash in HASHES:
            for distribution in DISTRIBUTIONS:
                steps = options(DISTRIBUTION=f"DISTRIBUTION_{distribution}", HASH=f"HASH_{hash}")
                yield self.batch(f"{distribution}, then {hash}", PLACED, steps, self.four)
                yield self.batch(f"{hash}, then {distribution}", PLACED, steps[::-1], self.four)
                yield self.batch(f"{distribution}, then {hash}, then servers", PLACED, self.four, steps)
            yield self.batch(f"ketama, {hash}", PLACED, options(HASH=f"HASH_{hash}", LIBKETAMA_COMPATIBLE=True), self.four)
            yield self.batch(f"ketama, then {hash}", PLACED, options(LIBKETAMA_COMPATIBLE=True, HASH=f"HASH_{hash}"), self.four)
            yield self.batch(f"ketama hash {hash}", PLACED, options(LIBKETAMA_COMPATIBLE=True, LIBKETAMA_HASH=f"HASH_{hash}"), self.four)
        for number in (0, 1, 2, 5, 6, 7, 8, 9, -1):
            yield self.batch(f"distribution {number}", PLACED, options(DISTRIBUTION=number), self.four)
            yield self.batch(f"distribution {number} first", PLACED, self.four, options(DISTRIBUTION=number))
        for weights in ((1, 1, 1, 1), (1, 2, 3, 4), (5, 0, 1, 10), (0, 0, 0, 1)):
            servers = self.weighted(*weights)
            singly = [["server", "", place] for place in servers[0][2]]
            for name, steps in (("ketama", options(LIBKETAMA_COMPATIBLE=True)), ("consistent", options(DISTRIBUTION="DISTRIBUTION_CONSISTENT")),
                                ("modula", []), ("consistent, MD5", options(DISTRIBUTION="DISTRIBUTION_CONSISTENT", HASH="HASH_MD5"))):  # fmt: skip
                yield self.batch(f"weights {weights}, {name}", PLACED, steps, servers)
                yield self.batch(f"weights {weights}, {name} first", PLACED, servers, steps)
                yield self.batch(f"weights {weights}, {name} first, one by one", PLACED, singly, steps)
                yield self.batch(f"weights {weights}, {name} between", PLACED, singly[2:], [*singly[:2], *steps])
        for steps in (options(SORT_HOSTS=True), options(SORT_HOSTS=True, LIBKETAMA_COMPATIBLE=True), options(SORT_HOSTS=True, SORT_HOSTS_AGAIN=False)):
            steps = [step for step in steps if "AGAIN" not in step[1]]
            for order in (1, -1):
                servers = [["servers", "", self.places[::order]]]
                yield self.batch(f"sorted {len(steps)} {order}", PLACED, steps, servers)
                yield self.batch(f"sorted {len(steps)} {order} first", PLACED, servers, steps)
        for binary in (False, True):
            for replicas in (1, 2, 5):
                for steps in (options(NUMBER_OF_REPLICAS=replicas), options(NUMBER_OF_REPLICAS=replicas, LIBKETAMA_COMPATIBLE=True)):
                    # With more copies than servers the original mistakes answers of one request for those of the next.
                    cells = PLACED if replicas < len(self.places) else PLACED[:60]
                    yield self.batch(f"replicas {replicas}, {len(steps)}, {binary}", cells, [*options(BINARY_PROTOCOL=binary), *steps], self.four)
            for group in ("", "g", "a group "):
                for name in ("MODULA", "CONSISTENT"):
                    steps = options(BINARY_PROTOCOL=binary, DISTRIBUTION=f"DISTRIBUTION_{name}")
                    yield self.batch(f"group {group!r}, {name}, {binary}", PLACED, steps, self.four, group=group)
        for hashed in (False, True):
            for group in (None, "g"):
                steps = options(LIBKETAMA_COMPATIBLE=True, HASH_WITH_PREFIX_KEY=hashed, PREFIX_KEY="prefix.")
                yield self.batch(f"prefix, hashed {hashed}, {group}", PLACED, steps, self.four, **({"group": group} if group else {}))
        for name in ("memcached.default_consistent_hash",):
            yield self.batch(name, PLACED, servers=self.four, ini={name: 1})
            yield self.batch(f"{name}, weights", PLACED, servers=self.weighted(1, 2, 3, 4), ini={name: 1})
            yield self.batch(f"{name}, MD5", PLACED, options(HASH="HASH_MD5"), servers=self.four, ini={name: 1})
        yield self.batch("options at once", PLACED, [["options", "", {"OPT_LIBKETAMA_COMPATIBLE": 1, "OPT_HASH": 1}]], self.four)
        yield self.batch("options at once, other order", PLACED, [["options", "", {"OPT_HASH": 1, "OPT_LIBKETAMA_COMPATIBLE": 1}]], self.four)
        yield self.batch("buckets", PLACED, [["bucket", "", [[3, 2, 1, 0], None, 0]]], self.four)
        servers = " ".join(f"--SERVER={host}:{port}" for host, port, _ in self.places[:3]) + f' --SOCKET="{self.places[3][0]}"'
        for words in ("", "--BINARY-PROTOCOL", '--NAMESPACE="ns."', "--HASH=MD5", "--DISTRIBUTION=consistent", "--DISTRIBUTION=consistent --HASH=CRC",
                      "--HASH=FNV1A_32 --DISTRIBUTION=consistent", "--BUFFER-REQUESTS", "--NOREPLY", "--VERIFY-KEY", "--TCP-NODELAY", "--SUPPORT-CAS",
                      "--SORT-HOSTS", '--HASH-WITH-NAMESPACE --NAMESPACE="x"', "--NUMBER-OF-REPLICAS=1 --BINARY-PROTOCOL"):  # fmt: skip
            yield self.batch(f"words {words}", PLACED, servers=[], words=f"{servers} {words}".strip())
            yield self.batch(f"words first {words}", PLACED, servers=[], words=f"{words} {servers}".strip())

    def random(self, chance):
        """A configuration of options in any order, before, between and after the servers."""
        numbers = {"HASH": [*(f"HASH_{hash}" for hash in HASHES), 0, 6], "DISTRIBUTION": ["DISTRIBUTION_MODULA", "DISTRIBUTION_CONSISTENT", 2, 5], "LIBKETAMA_COMPATIBLE": [True, False],
                   "LIBKETAMA_HASH": [f"HASH_{hash}" for hash in HASHES], "BINARY_PROTOCOL": [True, False], "COMPRESSION": [True, False],
                   "COMPRESSION_TYPE": ["COMPRESSION_ZLIB", "COMPRESSION_FASTLZ"], "SERIALIZER": [f"SERIALIZER_{name}" for name in ("PHP", "IGBINARY", "JSON", "JSON_ARRAY", "MSGPACK")],
                   "PREFIX_KEY": ["p.", "", "other:"], "HASH_WITH_PREFIX_KEY": [True, False], "SORT_HOSTS": [True, False], "USER_FLAGS": [0, 7, 65535, -1],
                   "NO_BLOCK": [True, False], "TCP_NODELAY": [True], "VERIFY_KEY": [True, False], "NUMBER_OF_REPLICAS": [0, 1]}  # fmt: skip
        steps = [step for name in chance.choices(list(numbers), k=chance.randint(1, 8)) for step in options(**{name: chance.choice(numbers[name])})]
        for place in chance.sample(self.places, chance.randint(2, 4)):
            place = [*place[:2], chance.choice([0, 0, 1, 2, 5])]
            steps.insert(chance.randint(0, len(steps)), chance.choice([["server", "", place], ["servers", "", [place]]]))
        config = {"group": chance.choice(["", "g"])} if chance.random() < 0.2 else {"how": chance.choice(["one", "one", "many", "add"])}
        values = SCALARS + TEXTS + ARRAYS + OBJECTS + SIZES + SHARES + LARGE[:6]
        cells = alone(chance.sample(values, 25)) + worked(chance.sample(COUNTED, 3), chance.sample(WORKS, 6)) + PLACED[:20]
        look = not any(step[1] == "OPT_PREFIX_KEY" for step in steps)
        return self.batch(f"random {chance.seed_said}: {json.dumps(steps)} {config}", cells, steps, [], look=look, **config)


# --- Configurations: the classes Memcache and MemcachePool, and the functions ----------------------------------------------------------

# The original gives up a server that says in the binary protocol that something is not there, or not as it should be.
SURE = ["append +", "prepend 1", "inc 1", "dec 100", "replace text new", "set json 7", "set words 30000", "cas text new", "delete 0"]
PECL_WORKS = [work for work in WORKS if not work.startswith(("make", "touch", "set words", "cas rows"))] + ["set words 30000", "cas rows 1000"]
PECL_SIZES = [f"{kind} {size}" for kind in KINDS for size in (1, 13, 2001, 19999, 20000, 20001, 70000)]
PECL_SHARES = [f"{share} {size}" for share in (10, 18, 19, 20, 21, 22, 30) for size in (20000, 50000)]
PECL_PLACED = alone([f"json {number}" for number in range(60)]) + worked(["json 5", "text a"], ["append +", "inc 1", "cas text new", "delete 0"])


class Memcache:
    """Batches of the classes of pecl/memcache, as Memcached's above."""

    def __init__(self, sockets, addresses):
        self.one = [["addServer", [f"unix://{sockets[0]}", 0]]]
        self.places = [*([host, port] for host, port in addresses), [f"unix://{sockets[0]}", 0]]
        self.four = [["addServer", place] for place in self.places]

    def batch(self, name, cells, steps=(), servers=None, kind="Memcache", ini=None, **config):
        ini = ini or {}
        # The original's persistent connections do not survive a change of the protocol.
        process = {key: ini[key] for key in ("memcache.protocol",) if key in ini}
        config |= {"class": kind, "ini": {key: value for key, value in ini.items() if key not in process}}
        return Batch(f"{kind}, {name}", cells, host="Memcache", process=process, steps=[*(self.one if servers is None else servers), *steps], **config)

    def weighted(self, kind, *weights):
        before = {"MemcachePool": [0, True]}.get(kind, [True])
        return [["addServer", [*place, *before, weight]] for place, weight in zip(self.places, weights)]

    def bytes(self):
        for kind in ("Memcache", "MemcachePool", "functions"):
            for protocol in ("ascii", "binary"):
                ini = {"memcache.protocol": protocol}
                works = worked(COUNTED, PECL_WORKS) if protocol == "ascii" else worked(["json 5", "text 5", "text abc"], SURE)
                large = LARGE if kind == "Memcache" and protocol == "ascii" else LARGE[::6]
                yield self.batch(protocol, VALUES + alone(PECL_SIZES, large) + works, kind=kind, ini=ini)
                yield self.batch(f"compressed, {protocol}", VALUES + alone(PECL_SIZES, PECL_SHARES, large[::4]), kind=kind, ini=ini, flags=2)
        for threshold, savings in ((0, 0.2), (1, 0), (1000, 0.5), (20000, 0.19), (100, 0.99), (2000, 1)):
            for flags in (0, 2):
                steps = [["setCompressThreshold", [threshold, savings]]]
                yield self.batch(f"threshold {threshold}, {savings}, flags {flags}", alone(PECL_SIZES, PECL_SHARES, ARRAYS), steps, flags=flags)
        yield self.batch("threshold alone", alone(PECL_SIZES, PECL_SHARES), [["setCompressThreshold", [5000]]])
        for threshold in ("0", "1000", "30000"):
            for flags in (0, 2):
                yield self.batch(f"threshold {threshold} by INI, flags {flags}", alone(PECL_SIZES, PECL_SHARES), ini={"memcache.compress_threshold": threshold}, flags=flags)
        for flags in (0x10000, 0x20000, 0xF0000, 0x10002, 1, 0x300, 0x100000):
            yield self.batch(f"flags {flags:x}", SOME + worked(["json 5", "text abc"], PECL_WORKS), flags=flags)
        for how in ("many", "add"):
            yield self.batch(how, SOME, kind="MemcachePool", how=how)
        for setting in ({"precision": 3}, {"precision": 17}, {"precision": -1}, {"serialize_precision": 5}):
            yield self.batch(f"{setting}", alone(SCALARS, ARRAYS), ini=setting)
        for chunk in ("1", "100", "8192", "1000000"):
            yield self.batch(f"chunks of {chunk}", SOME + alone(["noise 300000"]), ini={"memcache.chunk_size": chunk})

    def ways(self):
        for separator in (" ", "\t", "\u00e9", "\x7f", "%", "\n", "\x01"):
            for kind, protocol in (("Memcache", "ascii"), ("MemcachePool", "binary")):
                yield self.batch(f"keys with {separator!r}, {protocol}", alone(TEXTS), kind=kind, separator=separator, ini={"memcache.protocol": protocol}, look=False)
        for length in (245, 246, 247):
            yield self.batch(f"long keys {length}", alone(TEXTS), keys="k" * length, look=False)
        yield self.batch("keys that are cut", alone(["json 1"]), tail="k" * 300, look=False)
        for prefix in ("p", "a-prefix", "x" * 200):
            yield self.batch(f"static key {prefix[:9]}", PECL_PLACED, servers=self.four, ini={"memcache.prefix_static_key": prefix}, look=False)
        for host in ("www.example.org", "a.b.example.org", "example.org", "localhost", "example.org:8080"):
            for www in (0, 1):
                for sub in (0, 1):
                    ini = {"memcache.prefix_host_key": 1, "memcache.prefix_host_key_remove_www": www, "memcache.prefix_host_key_remove_subdomain": sub}
                    yield self.batch(f"host {host}, {www}, {sub}", PECL_PLACED[::6], ini=ini, request={"SERVER_NAME": host, "HTTP_HOST": host}, look=False)

    def rings(self):
        for kind in ("Memcache", "MemcachePool", "functions"):
            for strategy in ("standard", "consistent"):
                for function in ("crc32", "fnv"):
                    ini = {"memcache.hash_strategy": strategy, "memcache.hash_function": function}
                    yield self.batch(f"{strategy}, {function}", PECL_PLACED, servers=self.four, kind=kind, ini=ini)
                    for weights in ((1, 2, 3, 4), (5, 1, 1, 10)):
                        yield self.batch(f"{strategy}, {function}, weights {weights}", PECL_PLACED, servers=self.weighted(kind, *weights), kind=kind, ini=ini)
            for redundancy in (2, 3, 4):
                for protocol in ("ascii", "binary"):
                    ini = {"memcache.redundancy": redundancy, "memcache.protocol": protocol}
                    yield self.batch(f"redundancy {redundancy}, {protocol}", PECL_PLACED[:60], servers=self.four, kind=kind, ini=ini, fresh=True)
            for name, values in {"memcache.allow_failover": (0, 1), "memcache.max_failover_attempts": (1, 5)}.items():
                for value in values:
                    yield self.batch(f"{name} {value}", PECL_PLACED, servers=self.four, kind=kind, ini={name: value})

    def random(self, chance):
        kind = chance.choice(["Memcache", "MemcachePool", "functions"])
        choices = {"memcache.hash_strategy": ["standard", "consistent"], "memcache.hash_function": ["crc32", "fnv"], "memcache.redundancy": [1, 1, 2, 3], "memcache.chunk_size": [10, 1000],
                   "memcache.compress_threshold": [0, 100, 5000, 20000], "memcache.prefix_static_key": ["pre"], "precision": [5, 14, 17], "memcache.protocol": ["ascii", "ascii", "binary"]}  # fmt: skip
        ini = {name: chance.choice(values) for name, values in choices.items() if chance.random() < 0.4}
        servers = chance.sample(self.weighted(kind, *(chance.choice([1, 1, 2, 5]) for _ in range(4))), chance.randint(1, 4))
        steps = [["setCompressThreshold", [chance.choice([1, 100, 5000]), chance.choice([0, 0.1, 0.3, 0.9])]]] if chance.random() < 0.4 else []
        flags = chance.choice([0, 0, 2, 2, 0x10000, 0x30002])
        values = SCALARS + TEXTS + ARRAYS + OBJECTS + PECL_SIZES + PECL_SHARES
        works = SURE if ini.get("memcache.protocol") == "binary" else PECL_WORKS
        cells = alone(chance.sample(values, 25)) + worked(["json 5", "text 5"], chance.sample(works, 6)) + PECL_PLACED[:20]
        name = f"random {chance.seed_said}: {json.dumps(servers + steps)} {ini} flags {flags}"
        return self.batch(name, cells, steps, servers, kind=kind, ini=ini, flags=flags, look="memcache.prefix_static_key" not in ini)


# --- Configurations: sessions ----------------------------------------------------------------------------------------------------------

# Reading writes it back, so nothing that changes with each reading.
SESSION_VALUES = ["json 0", "PHP_INT_MAX", "json 0.1", "json null", "text ", "bytes", "utf8", "json [1,2]", "int keys", "rows 10", "references", "tree", "twins", "std", "sleeper",
                  "enum", "date", "arrayobject", "queue", "rows 1000"]  # fmt: skip
SESSION_SIZES = [f"{kind} {size}" for kind in KINDS for size in (1, 2100, 19950, 20100, 70000)]
LARGE_SESSIONS = ["same 2097152", "words 1500000", "noise 1000000", "rows 10000"]
VISITED = worked(["json 1", "words 5000", "rows 1000", "noise 30000"], VISITS)
SESSIONS = alone(SESSION_VALUES, SESSION_SIZES) + VISITED
FEW_SESSIONS = alone(SESSION_VALUES[::4], SESSION_SIZES[::4]) + VISITED[::3]
PLACED_SESSIONS = alone([f"json {number}" for number in range(40)]) + worked(["json 1"], VISITS)


class Sessions:
    """Batches of a session handler."""

    def __init__(self, handler, sockets, addresses):
        self.handler = handler
        self.names = [f"{host}:{port}" for host, port in addresses]
        self.socket = sockets[0]
        self.one = self.path([self.socket])
        self.four = self.path([*self.names, self.socket])

    def path(self, places, weights=()):
        def one(place, weight):
            if self.handler == "memcached":
                return f"{place}:0:{weight}" if weight and place[0] == "/" else f"{place}:{weight}" if weight else place
            return (f"unix://{place}:0" if place[0] == "/" else f"tcp://{place}") + (f"?weight={weight}" if weight else "")

        weights = [*weights, *[0] * len(places)]
        return ",".join(one(place, weight) for place, weight in zip(places, weights))

    def batch(self, name, cells, path=None, process=None, fresh=False, **ini):
        settings = {"session.save_handler": self.handler, "session.save_path": path or self.one}
        settings |= {key.replace("__", "."): value for key, value in ini.items()}
        return Batch(f"sessions {self.handler}, {name}", cells, host="Session", ini=settings, process=process, fresh=fresh, look=False)

    def all(self):
        yield self.batch("as it comes", SESSIONS + alone(LARGE_SESSIONS))
        for size in (1048576, 2097152):
            # The original keeps away from a server that found an item too large.
            yield self.batch(f"too large, {size}", alone([f"noise {size}"]), fresh=True)
        yield self.batch("after what was too large", FEW_SESSIONS, fresh=True)
        for handler in ("php", "php_binary", "php_serialize", "igbinary", "msgpack"):
            # msgpack itself cannot read what it wrote of an enum, and throws.
            cells = SESSIONS if handler in ("php", "igbinary") else FEW_SESSIONS
            cells = [cell for cell in cells if cell[0] != "enum"] if handler == "msgpack" else cells
            yield self.batch(f"{handler}", cells, session__serialize_handler=handler)
        for lazy in (0, 1):
            yield self.batch(f"lazy {lazy}", FEW_SESSIONS, session__lazy_write=lazy)
        yield self.batch("four servers", PLACED_SESSIONS, self.four)
        yield self.batch("weights", PLACED_SESSIONS, self.path([*self.names, self.socket], (1, 2, 3, 4)))
        yield from self.of_memcached() if self.handler == "memcached" else self.of_memcache()

    def of_memcached(self):
        for binary in (0, 1):
            yield self.batch(f"binary {binary}", FEW_SESSIONS, memcached__sess_binary_protocol=binary)
            for consistent in (0, 1):
                for kind in ("ketama", "ketama_weighted"):
                    ini = {"memcached.sess_binary_protocol": binary, "memcached.sess_consistent_hash": consistent, "memcached.sess_consistent_hash_type": kind}
                    for weights in ((), (1, 2, 3, 4)):
                        yield self.batch(f"{ini}, {weights}", PLACED_SESSIONS, self.path([*self.names, self.socket], weights), **ini)
        for length in (0, 1, 50, 127, 128, 180, 200, 218, 219, 220, 250):
            yield self.batch(f"prefix of {length}", FEW_SESSIONS, memcached__sess_prefix="p" * length)
        for replicas in (1, 2):
            yield self.batch(f"replicas {replicas}", PLACED_SESSIONS, self.four, memcached__sess_number_of_replicas=replicas)
        for name, value in {"sess_locking": 0, "sess_lock_expire": 5, "sess_persistent": 1, "sess_connect_timeout": 1000, "sess_remove_failed_servers": 1, "sess_server_failure_limit": 2,
                            "sess_randomize_replica_read": 1, "sess_lock_wait_min": 10, "sess_lock_retries": 2}.items():  # fmt: skip
            yield self.batch(f"{name} {value}", FEW_SESSIONS, **{f"memcached.{name}": value})
        for name, value in {"compression_type": "zlib", "compression_threshold": "100", "compression_factor": "2", "serializer": "php", "default_binary_protocol": 1,
                            "default_consistent_hash": 1, "store_retry_count": 1}.items():  # fmt: skip
            yield self.batch(f"{name} {value}", FEW_SESSIONS, **{f"memcached.{name}": value})
        yield self.batch("a persistent path", FEW_SESSIONS, f"PERSISTENT=fleet {self.names[0]}")
        yield self.batch("a port of 0", PLACED_SESSIONS, f"{self.socket}:0")

    def of_memcache(self):
        for protocol in ("ascii", "binary"):
            for redundancy in (1, 2, 3) if WAITS_FOR_ITSELF else (1, 2, 3, 4):
                for strategy in ("standard", "consistent"):
                    ini = {"memcache.protocol": protocol, "memcache.session_redundancy": redundancy, "memcache.hash_strategy": strategy}
                    for weights in ((), (1, 2, 3, 4)):
                        yield self.batch(f"{ini}, {weights}", PLACED_SESSIONS, self.path([*self.names, self.socket], weights), **ini)
            yield self.batch(protocol, FEW_SESSIONS + alone(LARGE_SESSIONS[::3]), memcache__protocol=protocol)
        for threshold in ("0", "1", "1000", "30000"):
            yield self.batch(f"threshold {threshold}", FEW_SESSIONS, memcache__compress_threshold=threshold)
        for name, value in {"hash_function": "fnv", "chunk_size": 100, "lock_timeout": 5, "allow_failover": 0, "max_failover_attempts": 1, "redundancy": 2, "prefix_static_key": "other"}.items():
            if not (WAITS_FOR_ITSELF and name == "max_failover_attempts"):
                yield self.batch(f"{name} {value}", PLACED_SESSIONS + FEW_SESSIONS, self.four, **{f"memcache.{name}": value})
        for when in ("process", "request"):
            settings = {"memcache.session_prefix_static_key": "site"}
            more = {"process": settings} if when == "process" else settings
            yield self.batch(f"a static key of the {when}", FEW_SESSIONS, **more)
        for sub in (0, 1):
            yield self.batch(f"the name of the host, {sub}", FEW_SESSIONS, process={"memcache.session_prefix_host_key": 1, "memcache.session_prefix_host_key_remove_subdomain": sub})

    def random(self, chance):
        own = {
            "memcached": {"sess_binary_protocol": [0, 1], "sess_consistent_hash": [0, 1], "sess_consistent_hash_type": ["ketama", "ketama_weighted"], "sess_prefix": ["", "p.", "x" * 100],
                          "sess_number_of_replicas": [0, 1, 2], "sess_locking": [0, 1], "compression_type": ["zlib", "fastlz"], "compression_threshold": [10, 5000], "sess_persistent": [0, 1]},
            "memcache": {"protocol": ["ascii", "binary"], "session_redundancy": [1, 2, 3], "hash_strategy": ["standard", "consistent"], "hash_function": ["crc32", "fnv"],
                         "compress_threshold": [0, 1000, 20000], "chunk_size": [100, 10000]},
        }[self.handler]  # fmt: skip
        ini = {f"{self.handler}.{name}": chance.choice(values) for name, values in own.items() if chance.random() < 0.5}
        ini["session.serialize_handler"] = chance.choice(["php", "php_binary", "php_serialize", "igbinary", "msgpack"])
        places = chance.sample([*self.names, self.socket], chance.randint(1, 4))
        path = self.path(places, [chance.choice([0, 1, 2, 3]) if self.handler == "memcached" else chance.randint(1, 3) for _ in places])
        return self.batch(f"random {chance.seed_said}: {path} {ini}", PLACED_SESSIONS[:20] + chance.sample(SESSIONS, 20), path, **ini)
