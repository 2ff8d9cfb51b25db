"""A random conversation with APCu, held with ours too."""

import os
import random
import unittest

from support import SystemTest, original

CALLS = 10_000


class ApcuConversation(SystemTest):
    def lines(self, provider, seed):
        done = self.run_php("apcu_conversation.php", seed, CALLS, provider=provider)
        self.assertEqual((0, ""), (done.returncode, done.stderr), f"LEVERET_SEED={seed}")
        return done.stdout.splitlines()

    def test_each_call_answers_alike(self):
        """each of 10,000 random calls of apcu_* and APCUIterator has APCu's answer, warnings and exceptions, and counts as there"""
        seed = int(os.environ.get("LEVERET_SEED", random.randrange(1 << 32)))
        self.remark(f"LEVERET_SEED={seed}")
        want, got = self.lines(original(), seed), self.lines(self.ours(), seed)
        self.assertEqual(CALLS, len(want))
        differ = [(number, *pair) for number, pair in enumerate(zip(want, got, strict=True)) if pair[0] != pair[1]]
        self.assertEqual([], differ[:3], f"(call, APCu's, ours) of {len(differ)}; LEVERET_SEED={seed} repeats them")


if __name__ == "__main__":
    unittest.main()
