"""Pools in which some servers are `leveret serve` of this host: their arenas are used instead of their sockets, with the same answers."""

import unittest

from servers import Server
from support import SystemTest, original_of, run
from test_memcached_class import mended

POOL = """
    $m = new Memcached; $m->setOption(Memcached::OPT_COMPRESSION, false);
    foreach (explode(',', $argv[1]) as $place) { [$host, $port] = explode(':', $place); $m->addServer($host, (int) $port); }
"""

# 60 keys of 20,000 bytes, stored and read twice: one by one, and all at once. Says how many each server has.
LARGE = f"""{POOL}
    $want = []; foreach (range(1, 60) as $n) $want["key$n"] = str_repeat(chr(64 + $n), 20000);
    $places = array_count_values(array_map(fn($key) => $m->getServerByKey($key)['port'], array_keys($want)));
    $one = array_map(fn($key) => $m->set($key, $want[$key]) && $m->get($key) === $want[$key], array_keys($want));
    $many = $m->setMulti($want) && $m->getMulti(array_keys($want), Memcached::GET_PRESERVE_ORDER) === $want;
    echo json_encode([!in_array(false, $one, true), $many, $places]);
"""

# A server is killed: its keys are lost, after a moment in which clients do not know it yet.
KILLED = f"""{POOL}
    $m->setOption(Memcached::OPT_RETRY_TIMEOUT, 0);
    $keys = array_map(fn($n) => "key$n", range(1, 30));
    foreach ($keys as $key) $m->set($key, $key);
    exec("kill -9 $argv[2]");
    $is_lost = fn($key) => $m->getServerByKey($key)['port'] === (int) $argv[3];
    $lost = array_values(array_filter($keys, $is_lost));
    while ($m->get($lost[0]) !== false) usleep(1000);
    $message = $m->getResultMessage();
    $others = array_filter($keys, fn($key) => !$is_lost($key) && $m->get($key) !== $key) === [];
    echo json_encode(['lost' => $message, 'others' => $others]);
"""

# A client for each page, as applications make it that do not ask for a persistent one. Then their server is killed.
ANEW = """
    $maps = fn() => array_values(preg_grep('~/left\\.arena$~', file('/proc/self/maps', FILE_IGNORE_NEW_LINES)));
    $page = function (callable $calls) use ($argv): mixed {
        $m = new Memcached; [$host, $port] = explode(':', $argv[1]); $m->addServer($host, (int) $port);
        return $calls($m);
    };
    $told = ['stored' => $page(fn($m) => $m->set('key', 'value'))];
    $mapped = $maps();
    $told['read'] = [$page(fn($m) => $m->get('key')), $page(fn($m) => $m->get('key'))];
    $told['mapped once'] = $mapped && $mapped === $maps();
    exec("kill -9 $argv[2]");
    while ($page(fn($m) => $m->get('key')) !== false) usleep(1000);
    $told['mapped for nobody'] = (bool) $maps();
    echo json_encode($told);
"""

# As before, by Unix socket: another server, which has other values, takes the place of one that lives on.
REPLACED = """
    $page = function (callable $calls) use ($argv): mixed { $m = new Memcached; $m->addServer($argv[1], 0); return $calls($m); };
    $other = new Memcached; $other->addServer($argv[2], 0); $other->set('key', 'of the other');
    $told = ['stored' => $page(fn($m) => $m->set('key', 'of the first'))];
    $told['mapped'] = (bool) preg_grep('~/first\\.arena$~', file('/proc/self/maps', FILE_IGNORE_NEW_LINES));
    usleep(50000);
    $told['first'] = $page(fn($m) => $m->get('key'));
    rename($argv[2], $argv[1]);
    usleep(50000);
    $told['other'] = [$page(fn($m) => $m->get('key')), $page(fn($m) => $m->get('key'))];
    echo json_encode($told);
"""


class ShortCut(SystemTest):
    def setUp(self):
        super().setUp()
        self.served = [Server(self, "leveret", "--dir", str(self.arenas), arena=name, udp=False) for name in ("left", "right")]
        self.memcached = Server(self, "memcached", udp=False)

    def places(self, *servers):
        return ",".join(server.address for server in servers)

    def lines(self, provider, script, *words):
        done = run(self.php_command(script, *words, provider=provider))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return [mended(line) for line in done.stdout.splitlines()]

    def test_calls(self):
        """each call of Memcached answers as pecl/memcached's where some, all or the only one of its servers is this host's"""
        left, right, other = *self.served, self.memcached
        for servers in [(left, other, right), (right, left), (left,)]:
            for binary in (0, 1):
                want = self.lines(original_of("memcached"), "memcached_calls.php", self.places(*servers), binary)
                self.assertGreater(len(want), 100)
                ours = self.ours(leveret__provide="memcached").with_ini(extension="igbinary.so")
                got = self.lines(ours, "memcached_calls.php", self.places(*servers), binary)
                self.assertEqual(want, got, f"{len(servers)} servers, binary {binary}")
        self.remark(f"{len(want)} lines compared")

    def test_memory_is_used(self):
        """values of servers of this host go through memory, one by one and many at once, those of others over their sockets"""
        read = lambda: [int(server.stat("bytes_read")) for server in (*self.served, self.memcached)]
        before = read()
        one, many, places = self.php(f"<?php {LARGE}", self.places(*self.served, self.memcached), provider=self.ours())
        self.assertTrue(one and many)
        self.assertGreater(min(places.values()), 5, places)
        left, right, other = (after - was for after, was in zip(read(), before))
        self.assertLess(max(left, right), 20000)
        self.assertGreater(other, 2 * 20000 * places[str(self.memcached.port)])

    def test_a_server_that_goes(self):
        """when a server of this host is killed its keys fail as those of any dead server, and what the others have stays"""
        left, right = self.served
        done = self.php(f"<?php {KILLED}", self.places(left, right, self.memcached), left.process.pid, left.port, provider=self.ours())
        self.assertEqual({"lost": "CONNECTION FAILURE", "others": True}, done)

    def test_clients_made_anew(self):
        """a new client for each page uses the memory that the previous one has mapped, and leaves it when the server has ended"""
        left = self.served[0]
        told = self.php(f"<?php {ANEW}", left.address, left.process.pid, provider=self.ours())
        self.assertEqual({"stored": True, "read": ["value", "value"], "mapped once": True, "mapped for nobody": False}, told)

    def test_another_server_at_the_socket(self):
        """a new client uses the server that listens at the socket now, though the previous one is still alive"""
        first = Server(self, "leveret", "--dir", str(self.arenas), unix=True, arena="first")
        other = Server(self, "memcached", unix=True)
        told = self.php(f"<?php {REPLACED}", first.socket, other.socket, provider=self.ours())
        self.assertEqual({"stored": True, "mapped": True, "first": "of the first", "other": ["of the other"] * 2}, told)


if __name__ == "__main__":
    unittest.main()
