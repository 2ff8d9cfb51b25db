"""Which of several servers has a key: the same with pecl/memcached and with ours, asked of the servers themselves."""

import os
import unittest

from servers import Server
from support import SystemTest, original_of, run


# Of random orders; LEVERET_SEED names others.
FIRST = int(os.environ.get("LEVERET_SEED", 1))
ORDERS, STORED_ORDERS = 3000, 60


class MemcachedPlaces(SystemTest):
    def test_places(self):
        """keys with prefixes, in groups and in virtual buckets live where pecl/memcached puts them"""
        places = ",".join(Server(self, "memcached", udp=False).address for _ in range(4))
        want, got = (self.lines(provider, places) for provider in self.providers())
        self.assertGreater(len(want), 100)
        self.assertEqual([], [pair for pair in zip(want, got) if pair[0] != pair[1]][:10], "(pecl/memcached's, ours)")
        self.assertEqual(len(want), len(got))
        self.remark(f"{len(want)} lines compared")

    def test_a_bucket_of_no_server(self):
        """keys in a bucket whose server is not there have none, where libmemcached would crash"""
        place = Server(self, "memcached", udp=False).address
        code = """<?php
            $m = new Memcached; [$host, $port] = explode(':', $argv[1]); $m->addServer($host, (int) $port);
            $m->setBucket([0, 9], null, 0);
            foreach (range(1, 40) as $n) { $m->set("key$n", 1); $codes[$m->getResultMessage()] = is_array($m->getServerByKey("key$n")); }
            ksort($codes); echo json_encode($codes);"""
        self.assertEqual({"SERVER IS MARKED DEAD": False, "SUCCESS": True}, self.php(code, place, provider=self.ours()))

    def test_orders(self):
        """after thousands of random orders of options, addServer and addServers the servers are the same, in the same order, and keys live where pecl/memcached looks for them"""
        want, got = (self.orders(provider, "places", ORDERS) for provider in self.providers())
        self.assertEqual(ORDERS, len(want))
        self.assertEqual([], [pair for pair in zip(want, got) if pair[0] != pair[1]][:10], "(pecl/memcached's, ours)")

    def test_both_ways(self):
        """of 300 keys that pecl/memcached or ours has stored after a random order of options and servers, the other finds all"""
        servers = [Server(self, "memcached", udp=False, unix=unix) for unix in (False, False, True, True)]
        words = ",".join(str(server.socket if server.socket.exists() else server.address) for server in servers)
        original, ours = self.providers()
        for writer, reader in ((original, ours), (ours, original)):
            stored = self.orders(writer, "store", STORED_ORDERS, writer.name, words)
            found = self.orders(reader, "find", STORED_ORDERS, writer.name, words)
            good = [line.removesuffix(" 1") for line in stored if line.endswith(" 1")]
            self.assertGreater(len(good), STORED_ORDERS / 2)
            self.assertEqual([], [line for line in found if line.split()[0] in good and not line.endswith(" 300")], f"found by {reader.name} after {writer.name}")

    def test_an_empty_server_key(self):
        """reads by an empty server key go by the keys, all that writes goes by the empty one, as with pecl/memcached"""
        places = ",".join(Server(self, "memcached", udp=False).address for _ in range(4))
        want, got = (self.lines(provider, places, "memcached_empty_group.php") for provider in self.providers())
        self.assertGreater(len(want), 10)
        self.assertEqual(want, got)

    def providers(self):
        return original_of("memcached"), self.ours(leveret__provide="memcached")

    def orders(self, provider, mode, count, *words):
        done = run(self.php_command("memcached_orders.php", mode, FIRST, count, *words, provider=provider))
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout.splitlines()

    def lines(self, provider, places, script="memcached_places.php"):
        done = run(self.php_command(script, places, provider=provider))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
