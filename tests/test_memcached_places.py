"""Which of several servers a key lives on: the same with pecl/memcached and with ours, as the servers themselves tell."""

import unittest

from servers import Server
from support import SystemTest, original_of, run


class MemcachedPlaces(SystemTest):
    def test_places(self):
        """keys with prefixes, in groups and in virtual buckets live where pecl/memcached puts them"""
        places = ",".join(Server(self, "memcached", udp=False).address for _ in range(4))
        want, got = (self.lines(provider, places) for provider in (original_of("memcached"), self.ours(leveret__provide="memcached")))
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

    def lines(self, provider, places):
        done = run(self.php_command("memcached_places.php", places, provider=provider))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
