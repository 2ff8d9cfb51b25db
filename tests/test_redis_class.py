"""The class Redis by TLS, with users and passwords, over persistent connections, and RedisSentinel beside a real Sentinel."""

import subprocess
import unittest

import redis_suites
from redis_servers import RedisServer, free_port
from servers import tool
from support import PATIENCE, SystemTest

HAS_SUITE = (redis_suites.PHP_REDIS / "modules" / "redis.so").exists()
MISSING = f"{redis_suites.SUITES} is missing: ./x test fetches it"

# The result of a call.
TELL = """<?php set_error_handler(fn ($n, $t) => print("warning: $t\\n"));
    function tell(callable $call) { try { echo json_encode($call()), "\\n"; } catch (Throwable $e) { echo get_class($e), ': ', trim($e->getMessage()), "\\n"; } }
    """


class RedisClass(SystemTest):
    def told(self, script, *words, provider=None):
        done = self.run_php(TELL + script, *words, provider=provider or self.ours(leveret__provide="redis"))
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout.splitlines()

    def certificate(self, name, *options):
        chain, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        made = tool("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=cache", "-addext",
                    "subjectAltName=DNS:localhost", *options, "-keyout", key, "-out", chain)  # fmt: skip
        self.assertEqual(0, made.returncode, made.stderr)
        return chain, key

    def encrypted(self, *options):
        chain, key = self.certificate("server", "-addext", "basicConstraints=critical,CA:FALSE")
        port = free_port()
        server = RedisServer(self, "redis", "--tls-port", str(port), "--tls-cert-file", str(chain), "--tls-key-file", str(key), "--tls-ca-cert-file", str(chain), *options)
        server.port = port
        return server, chain, key

    def test_tls(self):
        """Values of all sizes, pipelines and transactions go by TLS to a server whose certificate is believed; any other is refused with the reason"""
        server, chain, _ = self.encrypted("--tls-auth-clients", "no")
        script = """[, $port, $ca, $how] = $argv; $r = new Redis();
            $context = ['believed' => ['cafile' => $ca], 'unknown' => [], 'unverified' => ['verify_peer' => false, 'verify_peer_name' => false], 'named' => ['cafile' => $ca, 'peer_name' => 'localhost'], 'misnamed' => ['cafile' => $ca, 'peer_name' => 'example.org']][$how];
            $host = $how === 'named' || $how === 'misnamed' || $how === 'unverified' ? 'tls://127.0.0.1' : 'tls://localhost';
            tell(fn () => $r->connect($host, (int) $port, 5, null, 0, 5, ['stream' => $context]));
            tell(function () use ($r) { for ($n = 1; $n < 3000000; $n *= 7) { $v = str_repeat('x', $n); if (!$r->set('k', $v) || $r->get('k') !== $v) return $n; } return 'all sizes'; });
            tell(function () use ($r) { $r->pipeline(); for ($i = 0; $i < 5000; $i++) $r->set("k$i", str_repeat("$i", 50)); $r->exec(); $r->pipeline(); for ($i = 0; $i < 5000; $i++) $r->get("k$i"); foreach ($r->exec() as $i => $v) if ($v !== str_repeat("$i", 50)) return $i; return 'all'; });
            tell(fn () => $r->multi()->set('m', 1)->incr('m')->exec());"""
        good = ["true", '"all sizes"', '"all"', "[true,2]"]
        for how in ("believed", "unverified", "named"):
            self.assertEqual(good, self.told(script, server.port, chain, how), how)
        for how, reason in {"unknown": "certificate is not from an authority", "misnamed": "certificate"}.items():
            said = self.told(script, server.port, chain, how)
            self.assertRegex(said[0], f"^RedisException: .*{reason}")
            self.assertEqual(["RedisException: Redis server went away"] * 2, said[1:3])

    def test_tls_client_certificates(self):
        """A server that asks for a client's certificate is given it; without it the connection fails"""
        server, chain, key = self.encrypted("--tls-auth-clients", "yes")
        script = """[, $port, $ca, $key, $has] = $argv; $r = new Redis();
            tell(fn () => $r->connect('tls://localhost', (int) $port, 5, null, 0, 5, ['stream' => ['cafile' => $ca] + ($has ? ['local_cert' => $ca, 'local_pk' => $key] : [])]) && $r->set('k', 'v'));"""
        self.assertEqual(["true"], self.told(script, server.port, chain, key, 1))
        self.assertRegex(self.told(script, server.port, chain, key, 0)[0], "^RedisException: ")

    def test_users(self):
        """Persistent connections of one user are never another's, nor one of no user: each call sees what its own user may see, in its own database, by its own name"""
        server = RedisServer(self, "redis", unix=True)
        server.allow("a", "on", ">pa", "~a:*", "+@all")
        server.allow("b", "on", ">pb", "~b:*", "+@all")
        server.allow("default", "resetkeys", "~d:*")
        script = """[, $socket] = $argv; mt_srand(1); $wrong = 0;
            for ($i = 0; $i < 3000; $i++) {
                $who = ['a', 'b', 'd'][mt_rand(0, 2)]; $db = mt_rand(0, 3);
                $r = new Redis();
                $r->pconnect($socket, -1, 0, mt_rand(0, 1) ? 'x' : null, 0, 0, $who !== 'd' && mt_rand(0, 1) ? ['auth' => [$who, "p$who"]] : []);
                if ($who !== 'd' && !$r->getAuth()) $r->auth([$who, "p$who"]);
                if (mt_rand(0, 1)) { $r->select($db); } else { $db = 0; }
                $r->set("$who:k", "$who$db");
                $wrong += $r->get("$who:k") !== "$who$db" || $r->acl('whoami') !== ($who === 'd' ? 'default' : $who) || $r->client('getname') !== false;
                switch (mt_rand(0, 6)) {
                    case 0: $r->watch("$who:k"); break;
                    case 1: $r->multi()->get("$who:k"); break;
                    case 2: $r->pipeline()->get("$who:k"); break;
                    case 3: $r->client('setname', 'mine'); break;
                    case 4: $r->rawCommand('SELECT', 9); break;
                    case 5: try { $r->get('other:k'); } catch (RedisException $e) { $wrong += !str_contains($e->getMessage(), 'NOPERM'); } break;
                }
                if (mt_rand(0, 1)) $r->close();
            }
            echo $wrong;"""
        self.assertEqual(["0"], self.told(script, server.socket))
        self.assertLess(len(server.connect()("CLIENT", "LIST").splitlines()), 40)

    def test_pools(self):
        """A persistent connection is kept for its server and name, at most connection_limit of them; with pooling_enabled=0 none is"""
        server = RedisServer(self, "redis", unix=True)
        script = """[, $socket] = $argv; $look = new Redis(); $look->connect($socket); $count = fn () => count($look->client('list')) - 1;
            $open = function (int $n, ?string $id = null) use ($socket) { for ($all = []; $n-- > 0;) { $all[] = $r = new Redis(); $r->pconnect($socket, -1, 0, $id); $r->ping(); } return $all; };
            $all = $open(5); $first = array_map(fn ($r) => $r->client('id'), $all); unset($all, $r); usleep(50000); tell($count);
            $all = $open(5); tell(fn () => array_diff(array_map(fn ($r) => $r->client('id'), $all), $first)); unset($all); usleep(50000); tell($count);
            $other = $open(1, 'other'); tell(fn () => in_array($other[0]->client('id'), $first)); unset($other); usleep(50000); tell($count);"""
        self.assertEqual(["5", "[]", "5", "false", "6"], self.told(script, server.socket))
        limited = self.ours(leveret__provide="redis").with_ini(**{"redis.pconnect.connection_limit": 2})
        self.assertEqual("2", self.told(script, server.socket, provider=limited)[0])
        none = self.ours(leveret__provide="redis").with_ini(**{"redis.pconnect.pooling_enabled": 0})
        self.assertEqual("0", self.told(script, server.socket, provider=none)[0])

    def test_unknown_names(self):
        """connect() to an unknown name warns and throws in php-redis' words"""
        script = """$r = new Redis(); tell(fn () => $r->connect(str_repeat('x', 64) . '.invalid', 6379, 1)); tell(fn () => $r->pconnect('')); tell(fn () => $r->ping());
            set_error_handler(function ($n, $t) { throw new Exception('mine'); }); tell(fn () => $r->connect('')); set_error_handler(function ($n, $t) use ($r) { $r->close(); return true; }); tell(fn () => $r->connect(''));"""
        ours = self.told(script)
        name = "php_network_getaddresses: getaddrinfo for %s failed: Name or service not known"
        long = name % ("x" * 64 + ".invalid")
        self.assertEqual([f"warning: Redis::connect(): {long}", f"RedisException: {long}", f"warning: Redis::pconnect(): {name % ''}", f"RedisException: {name % ''}",
                          "RedisException: Redis server went away", "Exception: mine", f"RedisException: {name % ''}"], ours)  # fmt: skip
        if HAS_SUITE:
            theirs = self.told(script.partition("set_error")[0], provider=redis_suites.original_class())
            self.assertEqual(theirs, ours[: len(theirs)])


@unittest.skipUnless(HAS_SUITE, MISSING)
class Sentinel(SystemTest):
    def sentinel(self):
        """A Sentinel that watches a server without replicas."""
        server = RedisServer(self, "redis")
        port = free_port()
        folder = self.folder / f"sentinel-{port}"
        folder.mkdir()
        (folder / "sentinel.conf").write_text(f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor mymaster 127.0.0.1 {server.port} 1\n")
        with open(folder / "log", "w") as log:
            self.start(["redis-server", str(folder / "sentinel.conf"), "--sentinel"], stdout=log, stderr=log)
        self.wait_for("the Sentinel", lambda: "+monitor" in (folder / "log").read_text())
        return server, port

    def test_suite(self):
        """php-redis' own tests of RedisSentinel pass in ours as in the original, beside a real Sentinel"""
        verdicts = []
        for provider in (redis_suites.original_class(), self.ours(leveret__provide="redis")):
            _, port = self.sentinel()
            command = self.php_command("redis_test.php", redis_suites.PHP_REDIS / "tests", port, "^test", "Sentinel", provider=provider)
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
            verdicts.append(redis_suites.json_run(done.stdout).verdicts)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual(11, len(verdicts[1]))
        self.assertEqual({"ok"}, set(verdicts[0].values()), verdicts[0])
        self.assertEqual(verdicts[0], verdicts[1])

    def test_answers(self):
        """RedisSentinel answers as php-redis': fields and their types, missing masters, errors, lazy connections, options"""
        server, port = self.sentinel()
        script = """[, $port] = $argv; $s = new RedisSentinel(['host' => '127.0.0.1', 'port' => (int) $port, 'connectTimeout' => 2.5, 'readTimeout' => 2]);
            tell(fn () => $s->getMasterAddrByName('mymaster')); tell(fn () => $s->getMasterAddrByName('nosuch')); tell(fn () => $s->ping());
            tell(fn () => array_map(get_debug_type(...), array_intersect_key($s->master('mymaster'), ['name' => 1, 'ip' => 1, 'port' => 1, 'flags' => 1, 'quorum' => 1, 'down-after-milliseconds' => 1])));
            tell(fn () => count($s->masters())); tell(fn () => $s->masters()[0]['name']); tell(fn () => $s->slaves('mymaster')); tell(fn () => $s->sentinels('mymaster')); tell(fn () => strlen($s->myid()));
            tell(fn () => $s->master('nosuch')); tell(fn () => $s->slaves('nosuch')); tell(fn () => $s->sentinels('nosuch')); tell(fn () => $s->ckquorum('nosuch')); tell(fn () => $s->ckquorum('mymaster')); tell(fn () => $s->failover('nosuch')); tell(fn () => $s->failover('mymaster'));
            tell(fn () => $s->reset('x*')); tell(fn () => $s->reset('my*')); tell(fn () => $s->flushconfig());
            tell(fn () => (new RedisSentinel(['host' => '127.0.0.1', 'port' => 1]))->ping()); tell(fn () => new RedisSentinel(['host' => 5])); tell(fn () => get_class(new RedisSentinel(['nosuch' => 1]))); tell(fn () => (new RedisSentinel())->ping());
            tell(fn () => (new RedisSentinel(['host' => '127.0.0.1', 'port' => (int) $port, 'persistent' => 'id', 'retryInterval' => 10]))->ping());"""
        said = []
        for provider in (redis_suites.original_class(), self.ours(leveret__provide="redis")):
            said.append(RedisClass.told(self, script, port, provider=provider))
        self.assertEqual(*said)
        self.assertEqual(f'["127.0.0.1","{server.port}"]', said[0][0])


if __name__ == "__main__":
    unittest.main()
