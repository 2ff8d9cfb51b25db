"""Symfony's adapters, unmodified, under the public PSR suites: ours and the original in the same run."""

import xml.etree.ElementTree as ElementTree

from redis_servers import both as both_redis
from servers import Server
from support import SCRIPTS, SystemTest, original, original_of

# What PHPUnit itself needs under `php -n`.
PHPUNIT_EXTENSIONS = ("dom", "mbstring", "xml", "xmlwriter", "tokenizer", "phar", "ctype")


# What requests of one process do, one after the other.
REQUESTS = """<?php
    require_once 'Symfony/Component/Cache/autoload.php';
    for ($request = 0; $request < 4; $request++) {
        $m = Symfony\\Component\\Cache\\Adapter\\MemcachedAdapter::createConnection($argv[1], ['persistent_id' => 'app', 'serializer' => 'php']);
        $m->get('key');
        $connections[] = current($m->getStats())['total_connections'];
    }
    echo json_encode([$connections, $m->getServerList()]);"""


class Symfony(SystemTest):
    """The first run is the original's; each case that passes there must pass in all."""

    def test_apcu_psr6(self):
        """Symfony's ApcuAdapter passes on ours each PSR-6 case that it passes on the original APCu"""
        self.compare("SymfonyPsr6Test.php", self.apcu())

    def test_apcu_psr16(self):
        """Symfony's PSR-16 cache passes on ours each case that it passes on the original APCu"""
        self.compare("SymfonyPsr16Test.php", self.apcu())

    def test_memcached_psr6(self):
        """Symfony's MemcachedAdapter passes each PSR-6 case with our Memcached on memcached, `leveret serve` and an arena"""
        self.compare("SymfonyPsr6Test.php", self.memcached())
        self.assertTrue(self.arena("symfony").exists(), "the data source name did not lead to the arena")

    def test_memcached_psr16(self):
        """Symfony's PSR-16 cache on its MemcachedAdapter passes each case with our Memcached on memcached, `leveret serve` and an arena"""
        self.compare("SymfonyPsr16Test.php", self.memcached(arena=f"memcached://{self.arena('symfony')}"))
        self.assertTrue(self.arena("symfony").exists(), "the URL did not lead to the arena")

    def test_redis_psr6(self):
        """Symfony's RedisAdapter passes on `leveret serve` each PSR-6 case that it passes on redis-server, with the original php-redis"""
        self.compare("SymfonyPsr6Test.php", self.redis())

    def test_redis_psr16(self):
        """Symfony's PSR-16 cache on its RedisAdapter passes on `leveret serve` each case that it passes on redis-server"""
        self.compare("SymfonyPsr16Test.php", self.redis())

    def test_persistent_id(self):
        """a connection that Symfony's MemcachedAdapter keeps under a persistent_id is used by the next requests, to a port and to a socket; the original makes two for each"""
        for source in (Server(self, "memcached", udp=False).address, Server(self, "memcached", unix=True).socket):
            source = f"memcached://{source}"
            connections, servers = self.php(REQUESTS, source, provider=self.ours(leveret__provide="memcached"))
            self.assertEqual(1, len(set(connections)), connections)
            _, want = self.php(REQUESTS, source, provider=original_of("memcached"))
            self.assertEqual(want, servers)

    def apcu(self):
        return {"original": original(test__cache="apcu"), "leveret": self.ours(test__cache="apcu")}

    def redis(self):
        original, ours = (original_of("redis", test__cache=server.url) for server in both_redis(self))
        return {"original": original, "leveret serve": ours}

    def memcached(self, arena="memcached:arena:symfony"):
        """A server of its own for each: the suites flush."""
        sources = {"leveret on memcached": self.source("memcached"), "leveret on leveret serve": self.source("leveret"), "leveret on an arena": arena}
        ours = {name: self.ours(leveret__provide="memcached", test__cache=source) for name, source in sources.items()}
        return {"original": original_of("memcached", test__cache=self.source("memcached")), **ours}

    def source(self, kind):
        return f"memcached://{Server(self, kind).address}"

    def compare(self, suite, providers):
        runs = {name: self.start_suite(suite, name, provider) for name, provider in providers.items()}
        passed, said = {}, {}
        for name, process in runs.items():
            said[name] = "".join(process.communicate())
            passed[name], cases = self.passed_cases(name, said[name])
            self.remark(f"{name}: {len(passed[name])} of {cases} cases passed")
        self.assertGreater(len(passed["original"]), 30, "the suite hardly ran on the original, so it proves nothing:\n" + said["original"])
        for name in runs:
            self.assertEqual(set(), passed["original"] - passed[name], f"{name}:\n{said[name]}")

    def start_suite(self, suite, name, provider):
        # The suites sleep while items expire, so all runs share the wait. The cache result file would land in the checkout.
        words = ("--no-configuration", "--do-not-cache-result", "--log-junit", self.folder / f"{name}.xml", SCRIPTS / suite)
        return self.start_php("/usr/bin/phpunit", *words, provider=provider.with_ini(memory_limit="512M"), extensions=PHPUNIT_EXTENSIONS)

    def passed_cases(self, name, said):
        report = self.folder / f"{name}.xml"
        self.assertTrue(report.exists(), f"PHPUnit wrote no report on {name}:\n{said}")
        cases = list(ElementTree.parse(report).iter("testcase"))
        return {case.get("name") for case in cases if len(case) == 0}, len(cases)
