"""What applications see of the class Redis: the phpt tests of php/tests/redis that name php-redis 6.2.0 say the same with it."""

import os
import subprocess
import unittest

import redis_suites
from support import PATIENCE, ROOT, SystemTest

TESTS = ROOT / "php" / "tests" / "redis"


@unittest.skipUnless((redis_suites.PHP_REDIS / "modules" / "redis.so").exists(), f"{redis_suites.SUITES} is missing: ./x test fetches it")
class Quirks(SystemTest):
    def test_original(self):
        """Each call of the phpt tests of the class Redis comes to what it comes to with php-redis 6.2.0: results, types, warnings, exceptions"""
        provider = redis_suites.original_class()
        running = {}
        for file in sorted(TESTS.glob("*.phpt")):
            parts = sections(file)
            if "php-redis 6.2.0" not in parts["TEST"]:
                continue
            script = self.folder / "tests" / "redis" / f"{file.stem}.php"
            script.parent.mkdir(parents=True, exist_ok=True)
            script.write_text(parts["FILE"])
            running[file.stem] = parts["EXPECT"], script
        for name in ("redis.inc", "start.inc"):
            (self.folder / "tests" / name).write_text((ROOT / "php" / "tests" / name).read_text())
        self.assertGreaterEqual(len(running), 7)
        lines = 0
        for name, (want, script) in running.items():
            with self.subTest(name=name):
                command = self.php_command("redis_calls.php", provider=provider)[:-1]
                done = subprocess.run([*command, str(script)], env={**os.environ, "LEVERET_PEER": "1"}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(want.splitlines(), (done.stdout + done.stderr).splitlines())
                lines += want.count("\n")
        self.remark(f"{lines} lines compared")


def sections(file):
    """The sections of a phpt test by their names."""
    found, name = {}, ""
    for line in file.read_text().splitlines():
        if line.startswith("--") and line.endswith("--") and line.strip("-").isupper():
            name = line.strip("-")
            found[name] = ""
        else:
            found[name] += line + "\n"
    return found


if __name__ == "__main__":
    unittest.main()
