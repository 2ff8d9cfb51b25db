"""PHP's open_basedir holds for arenas: in all classes, session handlers and directives, and for what php.ini names it does not."""

import json
import os
import unittest

from support import STAGE, SystemTest


class OpenBasedir(SystemTest):
    def setUp(self):
        super().setUp()
        self.inside, self.outside = self.folder / "inside", self.folder / "outside"
        for folder in (self.inside, self.outside):
            folder.mkdir(mode=0o700)

    def tell(self, provider):
        """What each way comes to."""
        os.symlink(self.outside / "shop.arena", self.inside / "link.arena")
        words = self.inside / "shop.arena", self.outside / "shop.arena", self.inside / "link.arena", self.outside
        return self.php("open_basedir.php", *words, provider=provider)

    def limited(self, **ini):
        return self.ours(open_basedir=f"{STAGE}:{self.inside}", leveret__memory="8M", **ini)

    def test_paths_of_scripts(self):
        """A script makes and reads no arena outside of open_basedir, whichever way it names it; arenas inside, and by name, it may use"""
        told = self.tell(self.limited())
        self.assertEqual([], [name for name in os.listdir(self.outside)])
        names = list(told["inside"])
        self.assertEqual(22, len(names))
        self.assertEqual(dict.fromkeys(names, True), told["inside"])
        for place in ("outside", "link", "up"):
            self.assertEqual(dict.fromkeys(names, False), told[place], place)
        # leveret.dir is the administrator's, and outside.
        self.assertEqual(dict.fromkeys(told["named"], True), told["named"])
        self.assertEqual(told["named"], told["named, by putenv"])

    def test_folder_of_scripts(self):
        """If the environment names the folder of arenas, putenv() leads no script out of open_basedir"""
        told = self.tell(self.limited(leveret__dir="", leveret__apcu_arena="of-a-test"))
        self.assertEqual({"Cache": False, "default": False, "Memcached": False, "Memcache": False, "apcu": False}, told["named, by putenv"])
        self.assertEqual([], [name for name in os.listdir(self.outside)])

    def test_without(self):
        """Without open_basedir all of it works, also through a folder that a script has chosen"""
        told = self.tell(self.ours(leveret__memory="8M"))
        self.assertEqual({True}, {works for place in ("inside", "outside", "named") for works in told[place].values()}, told)

    def test_paths_of_the_administrator(self):
        """Paths of php.ini work outside of open_basedir too: sessions, leveret.arena, leveret.dir"""
        session = """<?php
            session_id('an-id');
            ini_set('session.use_cookies', 0);
            session_start();
            $_SESSION['key'] = 'value';
            session_write_close();
            $_SESSION = [];
            session_start();
            echo json_encode([$_SESSION['key'] ?? null, (new Leveret\\Cache())->stats()['path']]);"""
        named = self.outside / "named.arena"
        for handler, directive, path in (("memcached", "session__save_path", self.outside / "one.arena"),
                                         ("memcache", "session__save_path", f"unix://{self.outside / 'two.arena'}"),
                                         ("memcache", "memcache__session_save_path", f"unix://{self.outside / 'three.arena'}")):
            provider = self.limited(leveret__arena=named, session__save_handler=handler, session__cache_limiter="", **{directive: path})
            self.assertEqual(["value", str(named)], self.php(session, provider=provider))
        self.assertEqual({"named", "one", "two", "three"}, {name.split(".")[0] for name in os.listdir(self.outside)})

    def test_persistent_objects(self):
        """Persistent objects and arenas that one request has open are not those of a site that may open other files"""
        script = """<?php
            [, $path] = $argv;
            $try = function () use ($path) {
                try {
                    $cache = @(new Leveret\\Cache($path))->get('key') ?? 'miss';
                } catch (Leveret\\ArenaException $refused) {
                    $cache = 'refused';
                }
                $memcached = new Memcached('id');
                $memcached->getServerList() || @$memcached->addServer($path, 0);
                $memcache = new Memcache();
                return [$cache, count($memcached->getServerList()), @$memcache->pconnect($path, 0)];
            };
            $told[] = $try();
            ini_set('open_basedir', dirname($path, 2) . '/inside:' . dirname(__DIR__) . ':' . $argv[2]);
            $told[] = $try();
            echo json_encode($told);"""
        self.assertEqual([["miss", 1, True], ["refused", 0, False]], self.php(script, self.outside / "shop.arena", STAGE))


if __name__ == "__main__":
    unittest.main()
