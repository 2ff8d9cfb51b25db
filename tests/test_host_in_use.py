"""The tests of the command on a host where Leveret is installed and in use: they find only what they have made themselves."""

import json
import subprocess
import unittest

from support import AM_ROOT, COMMAND, PATIENCE, ROOT, SystemTest

# /dev/shm is the test's own, with the folder that packages make, arenas of apcu_* and of others, and a server.
IN_USE = """
set -euo pipefail
unset LEVERET_DIR
mount -t tmpfs -o mode=1777 none /dev/shm
install -d -m 2770 -g games /dev/shm/leveret
"$1" set k v --arena apcu-8.2 >/dev/null
"$1" set k v --arena shop >/dev/null
"$1" serve -u root -p 0 -s /dev/shm/leveret.socket --arena default &
until "$1" ping /dev/shm/leveret.socket --quiet; do sleep 0.1; kill -0 $!; done
status=0
"${@:2}" || status=$?
kill $!
exit $status
"""


@unittest.skipUnless(AM_ROOT, "only root can have a /dev/shm of its own")
class HostInUse(SystemTest):
    def alone(self, *command):
        words = ["unshare", "--mount", "--propagation", "private", "bash", "-c", IN_USE, "bash", COMMAND, *command]
        return subprocess.run(list(map(str, words)), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def test_command(self):
        """the tests of doctor pass where /dev/shm/leveret is there, with arenas and a server at work"""
        tried = self.alone("true")
        if tried.returncode:
            self.skipTest(f"nobody may have a /dev/shm of their own here: {tried.stderr.strip()}")
        # The tests in Rust have built it.
        words = ["cargo", "test", "--locked", "--no-run", "--message-format=json", "-p", "leveret-cli"]
        built = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
        programs = [made["executable"] for made in map(json.loads, built.splitlines()) if made.get("executable") and made["profile"]["test"]]
        self.assertEqual(2, len(programs), "the command's own tests, and those that run it")
        for program in programs:
            done = self.alone(program, "doctor")
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            self.assertNotIn(" 0 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
