"""docs/how-to/install-from-source.md and uninstall.md, word for word, on this machine's own Debian: over copies of its folders that only the test sees, and that go with it."""

import re
import shutil
import subprocess
import unittest

from support import AM_ROOT, PATIENCE, PHP, PHP_VERSION, ROOT, SystemTest, run

# Folders into which the page writes, each below a tmpfs, so that their files stay unchanged.
WRITTEN = ("/etc", "/usr/bin", "/var", f"$(php-config{PHP_VERSION} --extension-dir)")

# It has no shared memory and sockets of the machine, and another user has created the folder first. There is no systemd: what it would
# do, the test does.
MACHINE = """
set -euo pipefail
mount -t tmpfs none "$1"
n=0
for folder in {written}; do
    n=$((n + 1))
    mkdir -p "$1/$n/new" "$1/$n/work"
    mount -t overlay overlay -o "lowerdir=$folder,upperdir=$1/$n/new,workdir=$1/$n/work" "$folder"
done
mount -t tmpfs -o mode=1777 none /dev/shm
mount -t tmpfs none /run
setpriv --reuid=games --regid=games --clear-groups bash -c 'mkdir -m 3777 /dev/shm/leveret && touch /dev/shm/leveret/{{default,apcu}}.arena'
systemctl() {{ echo "systemctl $*"; }}
unset LEVERET_DIR
"""

# The unit's work, on its own socket.
AT_WORK = """
install -d -o leveret -g leveret /run/leveret
start=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/leveret.service)
(umask 0007; exec setpriv --reuid=leveret --regid=leveret --init-groups $start -s /run/leveret/test -a 770 --arena default) &
until leveret ping /run/leveret/test --quiet 2>/dev/null; do sleep 0.1; kill -0 $!; done
as_site() { setpriv --reuid=www-data --regid=www-data --init-groups @PHP@ -d apc.enable_cli=1 -d leveret.apcu_cli=shared -r "$1"; }
as_site 'apcu_store("seen", "by apcu"); $m = new Memcached; $m->addServer("/run/leveret/test", 0); $m->set("seen", "by Memcached");'
leveret get --arena apcu seen; echo
leveret get seen; echo
as_site '$m = new Memcache; $m->addServer("unix:///dev/shm/leveret/mail.arena", 0); $m->set("seen", "by its path");'
leveret get --arena mail seen; echo
leveret doctor || echo "doctor found a problem"
kill $!
wait $! || true
""".replace("@PHP@", PHP)

# What ./x gem does when the library is built.
GEM = 'ROOT=$PWD; set -e; for part in say install build ruby; do . scripts/$part.sh; done; build_ruby "$(leveret_core)"; build_platform_gem build/gem'

LOADED = f"{PHP} -m | grep -cx leveret || true\n"


def machine(folder, script):
    setup = MACHINE.format(written=" ".join(WRITTEN))
    # With its own process namespace, so that all its processes end with it.
    alone = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
    command = ["unshare", *alone, "bash", "-c", setup + script, "bash", folder]
    return subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)


def what_is_missing(folder):
    """Why mounting is impossible here; empty if it is possible."""
    tried = machine(folder, "true")
    return "" if tried.returncode == 0 else (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]


@unittest.skipUnless(AM_ROOT and shutil.which("systemd-sysusers"), "only root can have folders of its own, and systemd makes the user")
class Install(SystemTest):
    def test_page(self):
        """the commands of docs/how-to/install-from-source.md set up extension, shared folder and server, so that all see the same items, and those of uninstall.md take them back"""
        below = self.folder / "below"
        below.mkdir()
        missing = what_is_missing(below)
        if missing:
            self.skipTest(f"a machine of its own cannot be made here: {missing}")
        pages = "".join((ROOT / "docs" / "how-to" / name).read_text() for name in ("install-from-source.md", "uninstall.md")).replace("8.2", PHP_VERSION)
        extension, folder, server, gem, look, back = re.findall(r"^```sh\n(.*?)^```", pages, re.MULTILINE | re.DOTALL)
        before = run([PHP, "-m"]).stdout
        run(["bash", "-c", GEM])
        done = machine(below, extension + folder + server + AT_WORK + gem + look + back + LOADED)
        said = done.stdout + done.stderr
        self.assertEqual(0, done.returncode, said)
        lines = done.stdout.splitlines()
        self.assertIn("by apcu", lines, said)
        self.assertIn("by Memcached", lines, said)
        self.assertIn("by its path", lines, said)
        self.assertIn("/dev/shm/leveret/default.arena", lines, said)
        self.assertIn("Module memcached => provided", said)
        self.assertNotIn("doctor found a problem", said)
        self.assertEqual("0", lines[-1], "it is still loaded:\n" + said)
        self.assertEqual(before, run([PHP, "-m"]).stdout, "the machine itself was changed")


if __name__ == "__main__":
    unittest.main()
