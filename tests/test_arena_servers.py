"""Arenas that are named where a server is named: by name and by path, made as php.ini says, with a reason where one cannot be opened."""

import json

from support import SystemTest

# Each way to name a server to the classes and the session handlers; each must store something there.
WAYS = {
    "Memcached": '<?php $m = new Memcached(); $m->addServer($argv[1], (int) $argv[2]); echo json_encode($m->set("k", "by Memcached"));',
    "Memcached::addServers": '<?php $m = new Memcached("id"); $m->addServers([[$argv[1], (int) $argv[2], 33]]); echo json_encode($m->set("k", "by addServers"));',
    "Memcache": '<?php $m = new Memcache(); $m->addServer($argv[1], (int) $argv[2]); echo json_encode(@$m->set("k", "by Memcache"));',
    "memcache_connect": '<?php $m = @memcache_connect($argv[1], (int) $argv[2]); echo json_encode($m && @$m->set("k", "by memcache_connect"));',
    "MemcachePool": '<?php $m = new MemcachePool(); $m->addServer($argv[1], (int) $argv[2]); echo json_encode(@$m->set("k", "by MemcachePool"));',
}
SESSION = '<?php ini_set("session.save_handler", $argv[1]); ini_set("session.save_path", $argv[2]); session_id("a"); echo json_encode(@session_start() && ($_SESSION["k"] = 1) && session_write_close());'


class ArenaServers(SystemTest):
    def memory_of(self, name):
        return json.loads(self.leveret("stats", "--arena", self.arena(name), "--json"))["memory"]

    def test_path(self):
        """An arena's path, written as a Unix socket and with any port, is that arena for both classes and sessions"""
        path = self.arena("shop")
        for way, script in WAYS.items():
            for host, port in ((path, 0), (path, 11211), (f"unix://{path}", 0)):
                with self.subTest(way=way, host=host, port=port):
                    self.assertTrue(self.php(script, host, port))
                    self.assertIn("by ", self.leveret("get", "--arena", path, "k"))
                    self.leveret("delete", "--arena", path, "k")
        for handler, save_path in (("memcached", path), ("memcached", f"{path}:0"), ("memcache", path), ("memcache", f"unix://{path}")):
            with self.subTest(handler=handler, path=save_path):
                self.assertTrue(self.php(SESSION, handler, save_path))

    def test_memory(self):
        """An arena that is made because it was named as a server has the size that leveret.memory says"""
        provider = self.ours(leveret__memory="16M")
        for number, (way, script) in enumerate(WAYS.items()):
            with self.subTest(way=way):
                self.assertTrue(self.php(script, f"arena:made-{number}", 0, provider=provider))
                self.assertEqual(16 << 20, self.memory_of(f"made-{number}"))
        for handler in ("memcached", "memcache"):
            with self.subTest(handler=handler):
                self.assertTrue(self.php(SESSION, handler, f"arena:of-{handler}", provider=provider))
                self.assertEqual(16 << 20, self.memory_of(f"of-{handler}"))

    def test_reason(self):
        """Where an arena that was named as a server cannot be opened, one line of the log says why"""
        log = self.folder / "log"
        provider = self.ours(error_log=log)
        scripts = [(script, (self.folder / "missing" / "shop.arena", 0)) for script in WAYS.values()]
        scripts += [(SESSION, (handler, self.folder / "missing" / "shop.arena")) for handler in ("memcached", "memcache")]
        for script, words in scripts:
            with self.subTest(script=script):
                log.write_text("")
                self.php(script, *words, provider=provider)
                self.assertEqual(1, log.read_text().count("missing/shop.arena cannot be used: "), log.read_text())


if __name__ == "__main__":
    import unittest

    unittest.main()
