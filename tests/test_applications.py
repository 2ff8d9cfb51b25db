"""Programs that run unmodified: on ours over memcached, `leveret serve` and an arena they print what they print on the originals."""

import json
import unittest
from pathlib import Path

from servers import Server
from support import ROOT, SCRIPTS, SystemTest, original, original_of

# As in the program's text, but for the time of a test; `./x demo` runs it with its hundred thousand.
SEED_COUNT = 3000

# The original class does not declare two of its properties, which new PHP reports; ours declares them.
UNDECLARED = "Deprecated: Creation of dynamic property Memcache::"

# Debian 13 has Horde no more, Ubuntu neither of the two.
LARAVEL = Path("/usr/share/php/Illuminate/Cache").exists()
HORDE = Path("/usr/share/php/Horde/Memcache.php").exists()
NO_HORDE = "php-horde-memcache is not installed"

# Extensions that the packages need under `php -n`.
EXTENSIONS = ("ctype", "mbstring")


class Applications(SystemTest):
    def places(self, module, unix=False):
        """Servers of our own, each as the words HOST PORT of a program. pecl/memcache wants a scheme before the path of a socket."""
        scheme = "unix://" if module == "memcache" else ""
        servers = {name: Server(self, kind, unix=unix) for name, kind in (("memcached", "memcached"), ("leveret serve", "leveret"))}
        words = {name: (f"{scheme}{server.socket}", 0) if unix else ("127.0.0.1", server.port) for name, server in servers.items()}
        return {**words, "arena": ("arena:applications", 0)}

    def ways(self, module):
        """The original on memcached first; then ours everywhere."""
        for unix in (False, True):
            places = self.places(module, unix)
            yield "original", original_of(module), places["memcached"]
            for name, words in places.items():
                yield f"ours on {name}", self.ours(leveret__provide=module), words

    def lines(self, script, *words, **options):
        """Its output, and PHP's warnings."""
        done = self.run_php(script, *words, extensions=EXTENSIONS, **options)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return [line for line in (*done.stdout.splitlines(), *done.stderr.splitlines()) if line and not line.startswith(UNDECLARED)]

    def is_as_original(self, module, script, least, *first):
        """`least`: lines that it must print, or the test has hardly tested."""
        want = None
        for name, provider, words in self.ways(module):
            got = self.lines(script, *first, *words, provider=provider)
            self.assertGreaterEqual(len(got), least, name)
            want = want or got
            self.assertEqual(want, got, name)
        self.assertTrue(self.arena("applications").exists(), "the arena was not used")


class Seeds(Applications):
    def store_and_load(self, module, class_name):
        for name, provider, words in self.ways(module):
            self.assertEqual({"stored": SEED_COUNT}, self.php("seed001_store.php", class_name, *words, SEED_COUNT, provider=provider), name)
            loaded = self.php("seed001_load.php", class_name, *words, SEED_COUNT, provider=provider)
            self.assertEqual({"right": SEED_COUNT, "miss": False, "items": SEED_COUNT}, loaded, name)

    def test_memcached(self):
        """The seed's programs store and load their numbers with Memcached, on servers and arenas"""
        self.store_and_load("memcached", "Memcached")

    def test_memcache(self):
        """The seed's programs store and load their numbers with Memcache, on servers and arenas"""
        self.store_and_load("memcache", "Memcache")

    def test_memcache_types(self):
        """The seed's data types come back from Memcache as from the original, on servers and arenas"""
        self.is_as_original("memcache", "seed001_types.php", 60, "Memcache")

    def test_memcached_types(self):
        """The seed's data types come back from Memcached as from the original, on servers and arenas"""
        self.is_as_original("memcached", "seed001_types.php", 60, "Memcached")


class Packages(Applications):
    @unittest.skipUnless(LARAVEL, "php-illuminate-cache is not installed")
    def test_laravel(self):
        """Laravel's cache, with its locks, tags and rate limiter, does on Memcached what it does on the original"""
        self.is_as_original("memcached", "laravel_cache.php", 50)

    @unittest.skipUnless(HORDE, NO_HORDE)
    def test_horde_memcached(self):
        """Horde_Memcache does on Memcached what it does on the original"""
        self.is_as_original("memcached", "horde_memcache.php", 20)

    @unittest.skipUnless(HORDE, NO_HORDE)
    def test_horde_memcache(self):
        """Horde_Memcache does on Memcache what it does on the original, large items cut into parts among it"""
        self.is_as_original("memcache", "horde_memcache.php", 23)

    def test_symfony_lock_and_session(self):
        """Symfony's locks and sessions do on Memcached what they do on the original"""
        self.is_as_original("memcached", "symfony_lock_session.php", 9)

    def test_mediawiki_memcached(self):
        """MediaWiki's object caches do on Memcached what they do on the original: a persistent connection, and one in the binary protocol"""
        for kind in ("persistent", "binary"):
            self.is_as_original("memcached", "mediawiki_cache.php", 45, kind)

    def test_mediawiki_apcu(self):
        """MediaWiki's object caches do on apcu_* what they do on the original"""
        want, got = (self.lines("mediawiki_cache.php", "apcu", provider=provider) for provider in (original(), self.ours()))
        self.assertGreaterEqual(len(want), 45)
        self.assertEqual(want, got)


class WordPress(Applications):
    def places(self, module, unix=False):
        """Its drop-in splits host and port at the colon: the arena is named by its path, once as that of a socket, once with a port."""
        return {**super().places(module, unix), "arena": (f"{'unix://' if unix else ''}{self.arena('applications')}", 0)}

    def site(self):
        """WordPress, with a drop-in for its objects and one for its database. It looks for them below its own folder."""
        site, package = self.folder / "site", ROOT / "build" / "wordpress" / "usr" / "share" / "wordpress"
        self.assertTrue(package.exists(), "build/wordpress is missing: ./x test unpacks it")
        site.mkdir()
        for name in ("wp-includes", "wp-settings.php"):
            (site / name).symlink_to(package / name)
        (site / "wp-content").symlink_to(SCRIPTS / "wordpress")
        return site

    def test_wordpress(self):
        """WordPress's object cache does on Memcache what it does on the original, its servers split at the colon, an arena among them"""
        self.is_as_original("memcache", "wordpress_cache.php", 30, self.site())


if __name__ == "__main__":
    import unittest

    unittest.main()
