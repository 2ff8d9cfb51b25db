"""A root of a test's own: this machine as it is, in which everything may be changed, and which goes with the test. Its processes, its network
and its /dev/shm are its own too."""

import functools
import os
import subprocess
import tempfile
from pathlib import Path

from support import AM_ROOT, PATIENCE, PHP_VERSION, ROOT

# The root is the machine's below a tmpfs; PATH has no folder of the machine's own tools.
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

# The same with systemd as the first process, in its own control group. The script's output is in files of the root. A killed
# process takes its children with it.
OUTSIDE_SYSTEMD = OUTSIDE.rsplit("exec ", 1)[0] + r"""
cat >"$1/root/tests/boot" <<'SHELL'
set -euo pipefail
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
ln -sf /dev/null /dev/console
for unit in /etc/systemd/system/*.wants/*; do
    case $unit in */*systemd-*) ;; *) rm -f "$unit" ;; esac
done
find /etc/systemd/system -name '*.wants' -empty -delete
mkdir -p /etc/systemd/system.conf.d
printf '[Manager]\nDefaultTimeoutStopSec=10s\n' >/etc/systemd/system.conf.d/test.conf
cat >/etc/systemd/system/leveret-test.service <<'UNIT'
[Unit]
Wants=basic.target
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
ExecStart=/bin/bash /tests/script
StandardOutput=file:/tests/stdout
StandardError=file:/tests/stderr
TimeoutStartSec=infinity
UNIT
exec env -i container=leveret PATH="$PATH" /lib/systemd/systemd --unit=leveret-test.service --show-status=0 --log-target=null
SHELL
status=0
setpriv --pdeathsig KILL scripts/in-root "$1/root" bash /tests/boot || status=$?
cat "$1/root/tests/stdout" || true
cat "$1/root/tests/stderr" >&2 || true
exit "$status"
"""

# A control group for the following command.
GROUP = """
set -euo pipefail
groups=/sys/fs/cgroup
[ ! -d "$groups/unified" ] || groups=$groups/unified
before=$groups$(sed -n s/^0:://p /proc/self/cgroup)
group=$before/leveret-test-$$
mkdir "$group"
echo $$ >"$group/cgroup.procs"
status=0
setpriv --pdeathsig KILL "$@" || status=$?
echo $$ >"$before/cgroup.procs"
find "$group" -depth -type d -exec rmdir {} +
exit "$status"
"""

INSIDE = """
set -euo pipefail
unset LEVERET_DIR
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PHP={php} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
rm -f /usr/sbin/policy-rc.d /.dockerenv
. /tests/steps.sh
. /tests/circle.sh
"""


def in_own_root(folder, script, packages=(), seconds_max=PATIENCE, systemd=False):
    """Runs the script; the completed process."""
    below = folder / "below"
    below.mkdir(exist_ok=True)
    alone = ["unshare", "--mount", "--net", "--propagation", "private"]
    if systemd:
        alone = ["bash", "-c", GROUP, "bash", *alone, "--cgroup", "--uts", "--ipc"]
    words = ["bash", "-c", OUTSIDE_SYSTEMD if systemd else OUTSIDE, "bash", below, INSIDE.format(php=PHP_VERSION) + script, *packages]
    return subprocess.run([*alone, *map(str, words)], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds_max)


def why_no_root(folder):
    """Why there can be none here; empty where there can."""
    if not AM_ROOT or not os.path.exists("/usr/sbin/ip") and not os.path.exists("/sbin/ip"):
        return "only root can have a root of its own, with iproute2"
    done = in_own_root(folder, "true")
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


@functools.cache
def why_no_systemd():
    """Why systemd cannot run in such a root; empty if it can."""
    with tempfile.TemporaryDirectory(prefix="leveret-root-") as folder:
        done = in_own_root(Path(folder), "cat /proc/1/comm; systemctl is-active basic.target", systemd=True)
    return "" if done.stdout.splitlines() == ["systemd", "active"] else (done.stdout + done.stderr).strip() or f"exit code {done.returncode}"
