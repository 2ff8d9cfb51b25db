"""`./x` on a machine where another apt is at work."""

import unittest

from roots import in_own_root, why_no_root
from support import AM_ROOT, PATIENCE, ROOT, SystemTest

# fcntl's locks, as apt and dpkg take them.
HOLDER = """
import fcntl, sys, time
files = [open(path, "w") for path in ("/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend")]
for file in files:
    fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@unittest.skipUnless(AM_ROOT, "only root can have a root of its own")
class AptLock(SystemTest):
    def test_waits(self):
        """installing reports and awaits the end of another apt, and then continues"""
        missing = why_no_root(self.folder)
        if missing:
            self.skipTest(f"a root of its own cannot be made here: {missing}")
        done = in_own_root(self.folder, f"""
            cd {ROOT}
            # Nothing is fetched from here.
            rm -rf /etc/apt/sources.list /etc/apt/sources.list.d /var/lib/apt/lists
            mkdir -p /var/lib/apt/lists/partial /etc/apt
            : >/packages/Packages
            echo 'deb [trusted=yes] file:/packages ./' >/etc/apt/sources.list
            mkfifo /tests/end
            cat >/tests/holder.py <<'PYTHON'
{HOLDER}
PYTHON
            python3 /tests/holder.py <>/tests/end >/tests/held &
            HOLDER=$!
            until_true grep -q held /tests/held
            (. scripts/say.sh; . scripts/install.sh; install_packages bash) >/tests/said 2>&1 &
            until_true grep "Waiting for another apt: .*lists/lock" /tests/said
            kill $HOLDER
            wait %2 || {{ cat /tests/said; exit 1; }}
            echo it went on
        """, seconds_max=PATIENCE)
        said = done.stdout + done.stderr
        self.assertEqual(0, done.returncode, said)
        self.assertIn("it went on", said)


if __name__ == "__main__":
    unittest.main()
