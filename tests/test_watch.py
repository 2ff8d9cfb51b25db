"""`watch` at a server whose arena others use without it: real PHP and the command in the arena, watchers at the server."""

import os
import signal
import socket
import time

from redis_servers import RedisServer
from servers import Server
from support import SystemTest

DEEDS = """<?php
apcu_store('of apcu', 'value');
apcu_fetch('of apcu');
apcu_fetch('missing');
apcu_add('of apcu', 'another');
apcu_delete('of apcu');
$memcached = new Memcached();
$memcached->addServer('arena:apcu', 0);
$memcached->setOption(Memcached::OPT_COMPRESSION, false);
$memcached->set('of-memcached', 'a value', 1000);
$memcached->append('of-memcached', 'x');
$memcached->get('of-memcached');
echo json_encode(getmypid());
"""
# Continues until it is killed, at any point.
ENDLESS = "<?php for ($i = 0; ; $i++) { apcu_store('victim', $i); apcu_fetch('victim'); }"


class Watcher:
    def __init__(self, test, server, words):
        self.connection = server.connect()
        self.connection.settimeout(60)
        self.file = self.connection.makefile("rb")
        test.addCleanup(self.file.close)
        self.connection.sendall(f"watch {words}\r\n".encode())
        test.assertEqual(b"OK\r\n", self.file.readline())

    def line(self):
        """The next event as a dictionary, without what differs from run to run."""
        fields = dict(field.split("=", 1) for field in self.file.readline().decode().split())
        return {name: value for name, value in fields.items() if name not in ("ts", "gid", "clsid")}

    def is_silent(self, seconds):
        self.connection.settimeout(seconds)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except TimeoutError:
            return True


class Watch(SystemTest):
    def test_others(self):
        """A watcher gets the events of PHP and tools in the arena, with their program; a watcher of clients only does not"""
        server = Server(self, "leveret", arena=self.arena())
        everything, clients = Watcher(self, server, "fetchers mutations deletions"), Watcher(self, server, "fetchers mutations deletions clients")
        pid = str(self.php(DEEDS))
        by = {"by": "php", "pid": pid}
        get = lambda key, status, size: {"type": "item_get", "key": key, "status": status, "cfd": "-1", "size": str(size), **by}
        store = lambda key, status, cmd, ttl, size: {"type": "item_store", "key": key, "status": status, "cmd": cmd, "ttl": str(ttl), "cfd": "-1", "size": str(size), **by}
        for expected in (store("of%20apcu", "stored", "set", 0, 5), get("of%20apcu", "found", 5), get("missing", "not_found", 0),
                         store("of%20apcu", "not_stored", "add", 0, 7), {"type": "deleted", "key": "of%20apcu", "cmd": "delete", "size": "5", **by},
                         store("of-memcached", "stored", "set", 1000, 7), store("of-memcached", "stored", "append", 1000, 8), get("of-memcached", "found", 8)):
            self.assertEqual(expected, everything.line())
        self.leveret("get", "--arena", self.arena(), "of-memcached")
        line = everything.line()
        self.assertEqual(("item_get", "of-memcached", "tool"), (line["type"], line["key"], line["by"]))
        # The same over the server's own socket is its client's, once.
        self.assertEqual(b"END\r\n", server.talk(b"get none\r\n"))
        for watcher in (everything, clients):
            line = watcher.line()
            self.assertEqual(("none", None), (line["key"], line.get("by")))
            self.assertGreater(int(line["cfd"]), 0)
        self.assertTrue(clients.is_silent(0.1))

    def test_databases(self):
        """A watcher is told what PHP and tools do in each database of --redis, with its number, also in one that was made later or replaced"""
        server = RedisServer(self, "leveret")
        talk = server.connect()
        arena = lambda number: server.arena.with_name(f"cache.db{number}.arena")
        self.assertEqual(["OK", "OK"], [talk("SELECT", 2), talk("SET", "made", 1)])
        watcher = server.connect()
        self.assertEqual("OK", watcher("LEVERET", "WATCH", "fetchers", "mutations"))
        self.assertEqual(["OK", "OK"], [talk("SELECT", 5), talk("SET", "made later", 1)])

        def told(key):
            """The next line of the key, except look-ups of the server's clients."""
            while True:
                fields = dict(field.split("=", 1) for field in watcher.file.readline().decode().split())
                if fields["key"] == key and (fields["type"] != "item_get" or "by" in fields):
                    return {name: fields.get(name) for name in ("type", "by", "db")}

        self.assertEqual({"type": "item_store", "by": None, "db": "5"}, told("made%20later"))
        for number in (2, 5):
            self.leveret("set", "--arena", arena(number), f"tools{number}", "1")
            self.assertEqual({"type": "item_store", "by": "tool", "db": str(number)}, told(f"tools{number}"))
            script = "<?php $c = new Leveret\\Cache($argv[1]); $c->set('of php', 1); echo json_encode($c->get('of php'));"
            self.assertEqual(1, self.php(script, arena(number)))
            self.assertEqual({"type": "item_store", "by": "php", "db": str(number)}, told("of%20php"))
            self.assertEqual({"type": "item_get", "by": "php", "db": str(number)}, told("of%20php"))
        arena(5).unlink()

        def made_again():
            return talk("SET", "again", 1) == "OK" and arena(5).exists()

        self.wait_for("the database to be made again", made_again)
        self.leveret("set", "--arena", arena(5), "tools", "1")
        self.assertEqual({"type": "item_store", "by": "tool", "db": "5"}, told("tools"))

    def test_evictions_and_losses(self):
        """Evictions of a PHP process are reported with their key; a flood loses lines, which are counted, and no process waits for the watcher"""
        provider = self.ours(apc__shm_size="8M")
        self.php("<?php apcu_store('first', 1); echo 'true';", provider=provider)
        server = Server(self, "leveret", arena=self.arena())
        watcher = Watcher(self, server, "evictions")
        stored = self.php("<?php for ($i = 0; $i < 60000; $i++) { apcu_store(\"k$i\", str_repeat('x', 300)); } echo json_encode($i);", provider=provider)
        self.assertEqual(60000, stored)
        told = lost = 0
        while not watcher.is_silent(1):
            watcher.connection.settimeout(60)
            line = watcher.line()
            if "skipped" in line:
                lost += int(line["skipped"])
            else:
                # The server makes room ahead of writes, too.
                self.assertIn((line["type"], line.get("by")), [("eviction", "php"), ("eviction", None)])
                self.assertRegex(line["key"], "^(first|k[0-9]+)$")
                told += 1
        self.assertGreater(told, 1000)
        evicted = int(server.stat("evictions"))
        self.assertLessEqual(told + lost, evicted)
        self.assertGreater(told + lost, evicted * 0.9, "what nobody could be told any more came last")

    def test_kills(self):
        """Processes killed while they record events, and a removed arena, end no watch"""
        server = Server(self, "leveret", arena=self.arena())
        watcher = Watcher(self, server, "fetchers mutations")
        for _ in range(10):
            victim = self.start_php(ENDLESS)
            while watcher.line().get("pid") != str(victim.pid):
                pass
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
        os.unlink(self.arena())
        pid = None

        def told():
            nonlocal pid
            pid = str(self.php("<?php apcu_store('afterwards', 1); echo json_encode(getmypid());"))
            deadline = time.monotonic() + 0.2
            while time.monotonic() < deadline and not watcher.is_silent(0.05):
                watcher.connection.settimeout(60)
                if watcher.line().get("pid") == pid:
                    return True
            return False

        self.wait_for("events of the new arena", told)
        self.assertEqual(b"END\r\n", server.talk(b"get nothing\r\n"))
