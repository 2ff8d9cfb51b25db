"""A machine where Debian's php-apcu, php-memcached and php-memcache are installed, and leveret.so is added."""

import os
import subprocess
import unittest

from support import EXTENSION, PATIENCE, PHP, SystemTest

ORIGINALS = ["igbinary", "msgpack", "apcu", "memcached", "memcache"]
USE = """
    assert(apcu_store('k', 1) && apcu_fetch('k') === 1);
    $cache = new Leveret\\Cache; $cache->set('k', 'v'); assert($cache->get('k') === 'v');
    $memcached = new Memcached; assert($memcached->setOption(Memcached::OPT_COMPRESSION, false) && class_exists('MemcachedException'));
    assert(new Memcache instanceof MemcachePool && function_exists('memcache_connect'));
"""


class BesideTheOriginals(SystemTest):
    def machine(self, order, **ini):
        """A PHP that reads a folder of configuration as Debian's does: a file for each extension, in the order of their names."""
        folder = self.folder / f"conf-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        for number, name in enumerate(order):
            library = EXTENSION if name == "leveret" else f"{name}.so"
            (folder / f"{10 + number}-{name}.ini").write_text(f"extension={library}\n")
        settings = {"leveret.dir": self.arenas, "apc.enable_cli": 1, "display_errors": "stderr", "display_startup_errors": 1, "log_errors": 0,
                    "zend.assertions": 1, **{key.replace("__", "."): value for key, value in ini.items()}}  # fmt: skip
        (folder / "99-settings.ini").write_text("".join(f'{key}="{value}"\n' for key, value in settings.items()))
        return {**os.environ, "PHP_INI_SCAN_DIR": str(folder), "PHPRC": str(folder)}

    def run_on(self, machine, *words):
        done = subprocess.run([PHP, *words], env=machine, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def said(self, machine):
        """Which extension provides which module, by `php --ri leveret`."""
        lines = dict(line.split(" => ", 1) for line in self.run_on(machine, "--ri", "leveret")[0].splitlines() if " => " in line)
        return [lines[f"Module {name}"] for name in ("apcu", "memcached", "memcache")]

    def orders(self):
        return [["leveret", *ORIGINALS], [*ORIGINALS, "leveret"], ["igbinary", "apcu", "leveret", "memcache", "msgpack", "memcached"]]

    def versions(self, machine):
        return self.run_on(machine, "-r", "echo implode(' ', array_map('phpversion', ['apcu', 'memcached', 'memcache']));")

    def test_originals_win_in_silence(self):
        """real extensions that are loaded too, in any order, are used without a message, and --ri leveret names them"""
        want = self.versions(self.machine(ORIGINALS))
        for order in self.orders():
            machine = self.machine(order)
            self.assertEqual(want, self.versions(machine))
            self.assertEqual("", self.run_on(machine, "-r", USE)[1])
            for told, version in zip(self.said(machine), want[0].split(), strict=True):
                self.assertEqual(f"the real extension is loaded and is used: version {version}", told)

    def test_ours_where_there_is_no_original(self):
        """without the real extensions, and with each of them alone, leveret.so provides what is missing"""
        for present in [[], ["apcu"], ["memcached"], ["memcache"]]:
            machine = self.machine(["igbinary", "leveret", "msgpack", *present])
            self.assertEqual("", self.run_on(machine, "-r", USE)[1])
            told = self.said(machine)
            self.assertEqual([name in present for name in ("apcu", "memcached", "memcache")], ["real" in words for words in told])

    def test_asked_for_in_vain(self):
        """a module that is named in leveret.provide, and whose original is loaded, causes one notice"""
        machine = self.machine(["leveret", *ORIGINALS], leveret__provide="memcached, memcache")
        _, errors = self.run_on(machine, "-r", ";")
        self.assertEqual(2, errors.count("Notice: leveret: the real extension"), errors)
        self.assertEqual("not provided: leveret.provide does not name it, and the real extension is loaded", self.said(machine)[0])


if __name__ == "__main__":
    unittest.main()
