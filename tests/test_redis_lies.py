"""The class Redis on servers that hang, close, send slowly, too little, late, wrong or too much: a call is correct or fails, and does not affect the next one."""

import json
import os
import signal
import subprocess
import unittest

from redis_lies import LIES, LyingRedis
from redis_servers import RedisServer
from support import PATIENCE, SystemTest

CALLS = ("get", "set", "mget", "hGetAll", "incr", "zRange", "scan", "pipeline", "multi", "info", "raw")
THEN = ["value of x9", ["value of y9", "value of z9"], ["value of p9", "value of q9"], "value of o9"]
# Heard out, however busy the machine is; of the others only the time-out frees the client.
HEARD_OUT = ("closes at once", "closes after a byte", "closes before the last bytes", "drips", "twice", "more behind it")
PATIENT_SECS, SHORT_SECS = 20, 0.15

# Wrong replies that a client cannot recognize, because they are valid in the protocol. The value is the reply.
POSSIBLE = ("another type", "odd pairs", "nested pairs", "nil", "a nil array", "RESP3", "an error", "an empty error", "an infinite double", "twice", "more behind it", "late", "drips", "a push")
RIGHT = {
    "get": "value of lie", "set": True, "mget": ["value of lie", "value of b", "value of c"], "hGetAll": {"field": "value of lie"}, "incr": 7, "zRange": {"value of lie": 1.5},
    "scan": {"field": "value of lie"}, "pipeline": ["value of a", "value of lie", "value of c"], "multi": ["value of a", "value of lie"], "info": {"redis_version": "7.0.15"}, "raw": 1,
}  # fmt: skip


class Lies(SystemTest):
    def test_lies(self):
        """For any wrong answer of a server the call is correct or fails, memory is bounded, and the next calls, also on the persistent connection, are correct"""
        running = {}
        for lie in LIES:
            path = self.folder / f"{lie.replace(' ', '-').replace('^', '')}.sock"
            LyingRedis(self, path, lie)
            timeout = PATIENT_SECS if lie in HEARD_OUT else SHORT_SECS
            running[lie] = self.start_php("redis_lies.php", path, timeout, provider=self.ours(leveret__provide="redis", memory_limit="64M"))
        calls = 0
        for lie, process in running.items():
            said, errors = process.communicate(timeout=PATIENCE)
            with self.subTest(lie=lie):
                self.assertEqual((0, ""), (process.returncode, errors), said)
                *lines, last = map(json.loads, said.splitlines())
                self.assertLess(last["peak_kib"], 48 << 10, "memory was taken for what never came")
                self.assertEqual([(call, kept) for call in CALLS for kept in (False, True)], [(line["call"], line["persistent"]) for line in lines])
                for line in lines:
                    calls += 1
                    self.assertEqual(THEN, line["then"], line)
                    answer = line["answer"]
                    is_failure = answer is False or (isinstance(answer, str) and answer.startswith("RedisException: "))
                    if lie not in POSSIBLE:
                        self.assertTrue(is_failure, line)
                    elif lie in ("drips",):
                        self.assertEqual(RIGHT[line["call"]], answer, line)
                    elif lie in ("twice", "more behind it", "a push"):
                        self.assertTrue(is_failure or answer == RIGHT[line["call"]] or line["call"] == "pipeline", line)
        self.remark(f"{len(LIES)} lies, {calls} calls")


class Faults(SystemTest):
    """A real server that stops, restarts or changes in the middle, and a PHP that ends there."""

    def redis_php(self, script, *words, **ini):
        return self.run_php("<?php set_error_handler(fn ($n, $t) => print(\"warning: $t\\n\"));\n" + script, *words, provider=self.ours(leveret__provide="redis", **ini), extensions=("posix",))

    def test_late(self):
        """A reply that comes after its time-out is never the reply of another call"""
        for kind in ("redis", "leveret"):
            server = RedisServer(self, kind, unix=True)
            talk = server.connect()
            for number in range(200):
                talk("SET", f"k{number}", f"v{number}")
            pid = server.process.pid
            done = self.redis_php(
                """[, $socket, $pid] = $argv;
                $r = new Redis(); $r->connect($socket, -1, 0, null, 0, 0.1); $failed = 0;
                for ($i = 0; $i < 40; $i++) {
                    if ($i % 5 === 1) { posix_kill((int) $pid, SIGSTOP); while (!str_contains(file_get_contents("/proc/$pid/stat"), ') T ')) usleep(100); }
                    try { $got = $i % 2 ? $r->get("k$i") : $r->mget(["k$i", "k0"])[0]; if ($got !== "v$i") exit("k$i is " . var_export($got, true)); }
                    catch (RedisException $e) { $failed++; }
                    posix_kill((int) $pid, SIGCONT);
                    try { $got = $r->get('k' . ($i + 100)); if ($got !== 'v' . ($i + 100)) exit('k' . ($i + 100) . ' is ' . var_export($got, true)); } catch (RedisException $e) { $failed++; }
                }
                echo $failed > 5 ? 'right' : "only $failed have failed";""",
                server.socket, pid)  # fmt: skip
            os.kill(pid, signal.SIGCONT)
            self.assertEqual(("right", ""), (done.stdout, done.stderr))

    def test_restart(self):
        """A server that is restarted within a pipeline or a transaction fails it as a whole, and the object stays usable"""
        server = RedisServer(self, "redis", unix=True)
        done = self.redis_php(
            """[, $socket, $pid] = $argv;
            $r = new Redis(); $r->connect($socket, -1, 0, null, 0, 5); $r->set('before', 1);
            $r->multi()->set('a', 1);
            posix_kill((int) $pid, SIGKILL); usleep(300000);
            $start = fn () => [proc_open(['redis-server', '--port', '0', '--unixsocket', $socket, '--save', ''], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $p)];
            unlink($socket); $server = $start(); for ($i = 0; $i < 500 && !@stream_socket_client("unix://$socket"); $i++) usleep(10000);
            try { var_dump($r->exec()); } catch (RedisException $e) { echo get_class($e), "\\n"; }
            var_dump($r->getMode(), $r->get('before'));
            $r->pipeline(); for ($i = 0; $i < 100; $i++) $r->set("k$i", $i);
            proc_terminate($server[0], 9); proc_close($server[0]); unlink($socket); $server = $start(); for ($i = 0; $i < 500 && !@stream_socket_client("unix://$socket"); $i++) usleep(10000);
            try { var_dump(count($r->exec())); } catch (RedisException $e) { echo get_class($e), "\\n"; }
            var_dump($r->getMode(), $r->dbSize());
            proc_terminate($server[0], 9);""",
            server.socket, server.process.pid)  # fmt: skip
        said = done.stdout.replace("warning: stream_socket_client(): Unable to connect to", "").splitlines()
        # The pipeline had sent nothing yet: it goes to the new server whole.
        self.assertEqual(["RedisException", "int(0)", "bool(false)", "int(100)", "int(0)", "int(100)"], [line for line in said if "unix:" not in line], done.stdout + done.stderr)

    def test_read_only(self):
        """A server that becomes read-only throws for writes with its text, and reads still work"""
        server = RedisServer(self, "redis", unix=True)
        done = self.redis_php(
            """$r = new Redis(); $r->connect($argv[1]); $r->set('k', 1); $r->rawCommand('REPLICAOF', '127.0.0.1', '1');
            foreach ([fn () => $r->set('k', 2), fn () => $r->get('k'), fn () => $r->pipeline()->set('k', 3)->get('k')->exec(), fn () => $r->multi()->get('k')->exec()] as $call)
                try { echo json_encode($call()), "\\n"; } catch (RedisException $e) { echo $e->getMessage(), "\\n"; }""", server.socket)  # fmt: skip
        self.assertEqual(["READONLY You can't write against a read only replica.", '"1"', "READONLY You can't write against a read only replica.", '["1"]'], done.stdout.splitlines(), done.stderr)

    def test_large(self):
        """A value of 512 MB goes and comes where memory_limit allows it, ends the script where it does not, and the server's next client is served"""
        server = RedisServer(self, "redis", unix=True)
        put = self.redis_php("$r = new Redis(); $r->connect($argv[1]); var_dump($r->set('large', str_repeat('0123456789abcdef', 33554432 - 1)));", server.socket, memory_limit="1200M")
        self.assertEqual("bool(true)\n", put.stdout, put.stderr)
        got = self.redis_php("$r = new Redis(); $r->connect($argv[1]); $v = $r->get('large'); var_dump(strlen($v), substr($v, -17), $r->get('none'));", server.socket, memory_limit="1200M")
        self.assertEqual('int(536870896)\nstring(17) "f0123456789abcdef"\nbool(false)\n', got.stdout, got.stderr)
        for call in ("$r->get('large')", "$r->mget(['none', 'large'])", "$r->pipeline()->get('none')->get('large')->exec()"):
            ended = self.redis_php("$r = new Redis(); $r->pconnect($argv[1]); " + call + "; echo 'not here';", server.socket, memory_limit="64M")
            self.assertRegex(ended.stdout + ended.stderr, "(Allowed memory size|Hard memory limit) of [0-9]+ bytes exhausted")
            self.assertNotIn("not here", ended.stdout)
            self.assertNotEqual(0, ended.returncode)
        self.assertEqual(1, server.connect()("EXISTS", "large"))

    def test_ends_within(self):
        """exit, an exception, a fatal error, memory_limit and a fork within a pipeline or a transaction send nothing of it, and leave no half connection to the next user"""
        server = RedisServer(self, "redis", unix=True)
        talk = server.connect()
        ways = {
            "exit": "exit;", "exception": "throw new Exception('mine');", "fatal": "nosuchfunction();", "memory": "$x = str_repeat('x', 1 << 30);",
            "kill": "posix_kill(getmypid(), SIGKILL);", "unset": "unset($r);", "clone": "try { clone $r; } catch (Error $e) {}",
        }  # fmt: skip
        for name, way in ways.items():
            for begin in ("pipeline", "multi"):
                for connect in ("connect", "pconnect"):
                    key = f"{name}-{begin}-{connect}"
                    # 70,000 bytes: more than what a link might keep in one piece.
                    script = f"$r = new Redis(); $r->{connect}($argv[1]); $r->{begin}()->set($argv[2], str_repeat('x', 70000)); $r->get('a'); {way}"
                    self.redis_php(script, server.socket, key, memory_limit="64M")
                    self.assertEqual(0, talk("EXISTS", key), key)
        fork = """$r = new Redis(); $r->pconnect($argv[1]); $r->set('k', 'parent'); $r->pipeline()->set('forked', getmypid());
            if (!($pid = pcntl_fork())) { try { $mine = new Redis(); $mine->pconnect($argv[1]); $got = $mine->get('k'); } catch (RedisException $e) { $got = $e->getMessage(); } file_put_contents($argv[2], $got); exit; }
            pcntl_waitpid($pid, $status); var_dump($r->exec(), $r->get('k')); echo file_get_contents($argv[2]);"""
        done = self.redis_php(fork, server.socket, self.folder / "child")
        self.assertIn('bool(true)\n}\nstring(6) "parent"\nparent', done.stdout, done.stderr)
        both = """$r = new Redis(); $r->connect($argv[1]); $r->mset(['a' => 'of a', 'b' => 'of b']);
            if (!($pid = pcntl_fork())) { for ($i = 0; $i < 2000; $i++) if (($got = $r->get('a')) !== 'of a') { file_put_contents($argv[2], $got); exit; } file_put_contents($argv[2], 'right'); exit; }
            for ($i = 0; $i < 2000; $i++) if (($got = $r->get('b')) !== 'of b') exit("b is $got"); pcntl_waitpid($pid, $status); echo 'right ', file_get_contents($argv[2]);"""
        done = self.redis_php(both, server.socket, self.folder / "child")
        self.assertEqual("right right", done.stdout, done.stderr)

    def test_many_persistent(self):
        """100,000 persistent connections opened and dropped are one connection of the server, and no memory"""
        server = RedisServer(self, "redis", unix=True)
        done = self.redis_php(
            """for ($i = 0; $i < 100000; $i++) { $r = new Redis(); $r->pconnect($argv[1], -1, 0, 'p' . $i % 3); if ($i % 1000 === 0) $r->set('k', $i); unset($r); if ($i === 1000) $before = (int) explode(' ', file_get_contents('/proc/self/statm'))[1]; }
            echo (int) explode(' ', file_get_contents('/proc/self/statm'))[1] - $before < 512 ? 'steady ' : 'grows ';
            $r = new Redis(); $r->connect($argv[1]); echo count($r->client('list'));""", server.socket)  # fmt: skip
        self.assertEqual("steady 4", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
