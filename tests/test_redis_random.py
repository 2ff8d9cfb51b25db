"""Random calls of the class Redis: ours and php-redis 6.2.0 make the same ones, each on a redis-server of its own, and every result, warning and exception is the same.

LEVERET_CALLS=N ./x test system redis_random makes N calls, from the seed LEVERET_SEED on."""

import difflib
import os
import subprocess
import unittest

import redis_suites
from redis_servers import RedisServer
from support import PATIENCE, SystemTest

CALLS = int(os.environ.get("LEVERET_CALLS", "20000"))
SEED = int(os.environ.get("LEVERET_SEED", "1"))
# Of one seed: a difference shows what went before it.
EACH = 2000


@unittest.skipUnless((redis_suites.PHP_REDIS / "modules" / "redis.so").exists(), f"{redis_suites.SUITES} is missing: ./x test fetches it")
class RandomCalls(SystemTest):
    def test_calls(self):
        """Random calls with all options, in pipelines and transactions too, come to what they come to with php-redis"""
        providers = [redis_suites.original_class(), self.ours(leveret__provide="redis")]
        servers = [RedisServer(self, "redis", unix=True) for _ in providers]
        talks = [server.connect() for server in servers]
        compared, differ = 0, []
        for seed in range(SEED, SEED + max(1, CALLS // EACH)):
            for talk in talks:
                talk("FLUSHALL")
            running = []
            for provider, beside, server in zip(providers, (("mbstring",), ("mbstring", "igbinary", "msgpack")), servers):
                command = self.php_command("redis_random.php", seed, EACH, server.socket, provider=provider, extensions=beside)
                running.append(self.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"))
            heard = [process.communicate(timeout=PATIENCE) for process in running]
            for process, (said, errors) in zip(running, heard):
                self.assertEqual((0, ""), (process.returncode, errors[:2000]), f"seed {seed}\n{said[-1000:]}")
            theirs, ours = (said.splitlines() for said, _ in heard)
            compared += len(theirs)
            if theirs != ours:
                at = next((number for number, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1]), min(len(theirs), len(ours)))
                differ.append(f"seed {seed}, line {at}:\n" + "\n".join(difflib.unified_diff(theirs[at : at + 3], ours[at : at + 3], "php-redis", "ours", lineterm="", n=1)))
        self.remark(f"{compared} lines compared")
        self.assertEqual([], differ, "\n\n".join(differ[:20]))


if __name__ == "__main__":
    unittest.main()
