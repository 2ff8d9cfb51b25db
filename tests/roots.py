"""A root of a test's own: this machine as it is, in which everything may be changed, and which goes with the test. Its processes, its network
and its /dev/shm are its own too."""

import os
import subprocess

from support import AM_ROOT, PATIENCE, PHP_VERSION, ROOT

# What is in the root is the machine's below a tmpfs; PATH has no folder of the machine's own tools.
OUTSIDE = """
set -euo pipefail
mount -t tmpfs none "$1"
mkdir "$1/root" "$1/new" "$1/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/new,workdir=$1/work" "$1/root"
ip link set lo up
mkdir -p "$1/root/tests" "$1/root/packages"
cp -r tests/packages/. "$1/root/tests/"
for package in "${@:3}"; do cp "$package" "$1/root/packages/"; done
printf '%s' "$2" >"$1/root/tests/script"
exec scripts/in-root "$1/root" bash /tests/script
"""

INSIDE = """
set -euo pipefail
unset LEVERET_DIR
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PHP={php} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
rm -f /usr/sbin/policy-rc.d /.dockerenv
. /tests/steps.sh
. /tests/circle.sh
"""


def in_own_root(folder, script, packages=(), seconds_max=PATIENCE):
    """Runs the script; the completed process."""
    below = folder / "below"
    below.mkdir(exist_ok=True)
    alone = ["unshare", "--mount", "--net", "--propagation", "private"]
    words = ["bash", "-c", OUTSIDE, "bash", below, INSIDE.format(php=PHP_VERSION) + script, *packages]
    return subprocess.run([*alone, *map(str, words)], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds_max)


def why_no_root(folder):
    """Why there can be none here; empty where there can."""
    if not AM_ROOT or not os.path.exists("/usr/sbin/ip") and not os.path.exists("/sbin/ip"):
        return "only root can have a root of its own, with iproute2"
    done = in_own_root(folder, "true")
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
