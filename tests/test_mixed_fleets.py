"""Hosts with the originals and hosts with ours on the same memcached servers: whoever stored an item, whoever worked on it, whoever reads it,
the answer is the one that the originals alone would give.

A batch is one configuration with its cells; a cell is a value and what is done to it in between ("" is nothing). Two PHP processes take
part, the original (o) and ours (l). Each of them writes every cell, works on what each has written, and reads what each has worked on. What
they see is compared with what the originals see of what the originals have written and worked on, and so is what lies on the servers.

`LEVERET_FLEET=N ./x test system fleets` goes on with N random configurations of each kind; `LEVERET_SEED=S` begins with the S-th of them.
A failure names its cell as BATCH: value, work, and who wrote, worked and read; LEVERET_FLEET_ONLY=BATCH repeats that batch alone.
"""

import base64
import json
import os
import random
import re
import socket
import subprocess
import unittest

from fleets import Memcache, Memcached, Sessions, as_original
from servers import Server
from support import SERIALIZERS, SystemTest, end, original_of

SEED = int(os.environ.get("LEVERET_SEED", "1"))
ROUNDS = int(os.environ.get("LEVERET_FLEET", "1"))
ONLY = os.environ.get("LEVERET_FLEET_ONLY", "")
MAKING = "making the client"
NAMES = {"o": "the original", "l": "ours", "-": "nobody"}


class HostEnded(Exception):
    """A process that died of its order."""

    def __init__(self, name, code, said):
        super().__init__(f"{name} ended with {code}: {said}")
        self.name = name


class Host:
    """A PHP process that takes orders."""

    def __init__(self, test, provider):
        beside = () if provider.name in SERIALIZERS else ("igbinary", "msgpack")
        command = test.php_command("fleet.php", provider=provider, extensions=beside)
        self.test, self.name = test, provider.name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(end, self.process)

    def order(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def do(self, **order):
        self.order(**order)
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise HostEnded(self.name, self.process.wait(10), self.process.stderr.read())
        return json.loads(line)


class Looker:
    """Reads the items of the servers."""

    def __init__(self, test, servers):
        self.servers = servers
        self.looked_for = set()
        self.sockets = self.connect()
        for connection in self.sockets:
            test.addCleanup(connection.close)

    def connect(self):
        connections = []
        for server in self.servers:
            if isinstance(server, str):
                connections.append(socket.socket(socket.AF_UNIX))
                connections[-1].connect(server)
            else:
                connections.append(socket.create_connection(server))
        return connections

    def say(self, line, end, sockets=None):
        sockets = sockets or self.sockets
        for connection in sockets:
            connection.sendall(line)
        heard = []
        for connection in sockets:
            said = b""
            while not said.endswith(end):
                piece = connection.recv(1 << 20)
                if not piece:
                    raise EOFError(f"a server hung up after {said[-100:]!r}")
                said += piece
            heard.append(said)
        return heard

    def forget(self):
        self.say(b"flush_all\r\n", b"OK\r\n")
        # memcached 1.6.38 leaves some that were stored right before, where its clock moves on meanwhile.
        deletes = b"".join(b"md %s b q\r\n" % key for key in self.looked_for)
        self.say(deletes + b"mn\r\n", b"MN\r\n")
        self.looked_for = set()

    def connections(self):
        """Asked over new ones: a server with one thread has taken all that wait before them."""
        sockets = self.connect()
        heard = self.say(b"stats\r\n", b"END\r\n", sockets)
        for connection in sockets:
            connection.close()
        return [re.search(rb"STAT curr_connections (\d+)", said)[1] for said in heard]

    def items(self, keys):
        """For each key: flags, bytes and hundreds of seconds left of each copy."""
        keys = [base64.b64encode(key.encode()) for key in keys]
        self.looked_for.update(keys)
        asked = b"".join(b"mg %s b f s t\r\n" % key for key in keys)
        copies = [[] for _ in keys]
        for said in self.say(asked + b"mn\r\n", b"MN\r\n"):
            for number, line in enumerate(said.decode().split("\r\n")[: len(keys)]):
                if line != "EN":
                    flags, size, left = (int(word[1:]) for word in line.split()[1:4])
                    copies[number].append((flags, size, -(-left // 100)))
        return [sorted(found) for found in copies]


class Fleet(SystemTest):
    """Each of its tests is a matrix. Of its class come `looker` and `original`."""

    def setUp(self):
        super().setUp()
        self.cells = self.batches = 0
        self.differ = []

    def original(self):
        return original_of(self.module)

    def hosts_of(self, batch):
        """The two processes for such a batch. Most settings are made while they run."""
        key = json.dumps(batch.process)
        if batch.fresh or key not in self.hosts:
            ours = self.ours(leveret__provide=self.module)
            self.hosts[key] = {"o": Host(self, self.original().with_ini(**batch.process)), "l": Host(self, ours.with_ini(**batch.process))}
        return self.hosts[key]

    def together(self, hosts, batch, do):
        """Both do the same at the same time."""
        if do == "read" and batch.config["host"] == "Session":  # whose locks would keep them waiting for each other
            return {me: host.do(do=do, me=me, config=batch.config) for me, host in hosts.items()}
        for me, host in hosts.items():
            host.order(do=do, me=me, config=batch.config)
        return {me: host.answer() for me, host in hosts.items()}

    def try_batch(self, batch):
        self.batches += 1
        self.looker.forget()
        hosts = self.hosts_of(batch)
        for do in ("write", "work", "read"):
            seen = self.together(hosts, batch, do)
            if do != "read" and batch.config["host"] == "Memcached":
                # Quiet requests have arrived when the servers have seen the ends of the connections.
                self.wait_for("the ends of the connections", lambda: self.looker.connections() == self.idle)
            for me in seen:
                for cell in {*seen[me], MAKING}:
                    self.compare(batch, do, me, cell, seen["o"].get(as_original(cell), "nothing"), seen[me].get(cell, "nothing"))
            if do != "read" and batch.keys:
                self.compare_items(batch, do)

    def compare_items(self, batch, do):
        """The items of the servers."""
        names = {}
        for number, (_, work) in enumerate(batch.config["cells"]):
            workers = ("-",) if not work and do == "write" else ("o", "l") if work else ()
            names |= {f"{writer}{worker}.{number}": writer + worker for writer in ("o", "l") for worker in workers}
        items = dict(zip(names, self.looker.items([batch.key(name) for name in names])))
        for cell, found in items.items():
            if not batch.is_as_good(items[as_original(cell)], found):
                self.compare(batch, f"{do}, on the servers", "o", cell, items[as_original(cell)], found)
            self.cells += 1

    def compare(self, batch, do, me, cell, want, got):
        self.cells += 1
        if got != want:
            self.tell(batch, do, me, *cell.partition(".")[::2], want, got)

    def tell(self, batch, do, me, name, number, want, got):
        what = name
        if number:
            value, work = batch.config["cells"][int(number)] if number != "many" else ("all values at once", "worked on")
            parts = [f"{value!r}", f"written by {NAMES[name[0]]}"]
            if name[1] != "-":
                parts.append(f"{work!r} by {NAMES[name[1]]}")
            parts.append(f"read by {NAMES[me]}" if do == "read" else f"after {do}")
            what = ", ".join(parts)
        self.differ.append(f"{batch.name}: {what}: {got}, where the originals among themselves: {want}")

    def try_all(self, batches, is_random=False):
        for batch in batches:
            if ONLY and ONLY != batch.name:
                continue
            try:
                known = len(self.differ)
                self.try_batch(batch)
                if len(self.differ) > known and all("Failed to " in told for told in self.differ[known:]):
                    # On a busy machine the originals report their own time-outs. Such a batch is tried once more; bytes, places
                    # and values that differ never are.
                    self.remark(f"{batch.name}: {len(self.differ) - known} cells differ, tried once more")
                    del self.differ[known:]
                    self.try_batch(batch)
            except HostEnded as ended:
                # Some combinations of options end the original by an assertion of its library. The lists above have none of them.
                if not (is_random and ended.name != "leveret"):
                    self.differ.append(f"{batch.name}: {ended}")
                for host in [host for pair in self.hosts.values() for host in pair.values()]:
                    end(host.process)
                self.hosts = {}
        self.remark(f"{self.cells} cells in {self.batches} batches")
        self.assertEqual([], self.differ[:40], f"{len(self.differ)} cells differ")

    def randomly(self, family):
        for number in range(SEED, SEED + ROUNDS):
            chance = random.Random(number)
            chance.seed_said = number
            yield family.random(chance)


class MixedFleets(Fleet):
    def setUp(self):
        super().setUp()
        unix = Server(self, "memcached", "-m", "256", "-t", "1", unix=True)
        servers = [Server(self, "memcached", "-m", "256", "-t", "1", udp=False) for _ in range(3)]
        self.addresses = [("127.0.0.1", server.port) for server in servers]
        self.sockets = [str(unix.socket)]
        self.looker = Looker(self, [*self.addresses, *self.sockets])
        self.idle = self.looker.connections()

    def family(self, module):
        self.module, self.hosts = module, {}
        return {"memcached": Memcached, "memcache": Memcache}[module](self.sockets, self.addresses)

    def sessions(self, handler):
        self.module, self.hosts = handler, {}
        return Sessions(handler, self.sockets, self.addresses)

    def test_memcached_bytes(self):
        """Items of the class Memcached are those of the original: values, serializers, compression, flags"""
        self.try_all(self.family("memcached").bytes())

    def test_memcached_ways(self):
        """Items of the class Memcached are those of the original: protocols, ways of sending, prefixes, keys"""
        self.try_all(self.family("memcached").ways())

    def test_memcached_rings(self):
        """Items of the class Memcached are where the original puts them: hashes, distributions, weights, groups, replicas"""
        self.try_all(self.family("memcached").rings())

    def test_memcache_bytes(self):
        """Items of Memcache, MemcachePool and the functions are those of the original"""
        self.try_all(self.family("memcache").bytes())

    def test_memcache_ways(self):
        """Keys and prefixes of Memcache, MemcachePool and the functions are those of the original"""
        self.try_all(self.family("memcache").ways())

    def test_memcache_rings(self):
        """Items of Memcache, MemcachePool and the functions are where the original puts them"""
        self.try_all(self.family("memcache").rings())

    def test_sessions_memcached(self):
        """Sessions of the handler "memcached" move between hosts with either provider"""
        self.try_all(self.sessions("memcached").all())

    def test_sessions_memcache(self):
        """Sessions of the handler "memcache" move between hosts with either provider"""
        self.try_all(self.sessions("memcache").all())

    def test_random(self):
        """Random configurations of classes and sessions: as many of each kind as LEVERET_FLEET says, from LEVERET_SEED on"""
        for family in (self.family, self.sessions):
            for module in ("memcached", "memcache"):
                self.try_all(self.randomly(family(module)), is_random=True)


if __name__ == "__main__":
    unittest.main()
