"""Debian's and Ubuntu's packages of build/packages (./x package makes them), installed with apt in a fresh copy of a root that has what a web
server has.

LEVERET_PACKAGES names them (12, 13, 24.04, 26.04, or 12-arm64, where scripts/in-aarch64 runs this file) and runs all; without it the packages of
Debian 12 are tried in short, if they are there and fresh."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import AM_ROOT, LIBRARY, ROOT, SystemTest

NAME = os.environ.get("LEVERET_PACKAGES", "12")
RELEASE, _, ARCHITECTURE = NAME.partition("-")
PHP_OF = '. scripts/install.sh; echo "${DEBIAN_PHPS[$1]}"'
PHP_VERSION = subprocess.run(["bash", "-euc", PHP_OF, "-", RELEASE], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
PACKAGES = ROOT / "build" / "packages" / NAME
BASE = ROOT / "build" / f"package-try-{NAME}" / "root"
# An emulator takes its time.
SECONDS_MAX = 1800 if ARCHITECTURE else 600
# Within a user namespace what overlay notes down goes into attributes of the user's.
OVERLAY = "userxattr," if ARCHITECTURE else ""
IN_FULL = "LEVERET_PACKAGES" in os.environ

# The root is a copy that only the test sees, with its own network.
OUTSIDE = """
set -euo pipefail
mount -t tmpfs none "$1"
mkdir "$1/root" "$1/new" "$1/work"
mount -t overlay overlay -o "${5}lowerdir=$2,upperdir=$1/new,workdir=$1/work" "$1/root"
ip link set lo up
mkdir -p "$1/root/tests" "$1/root/packages"
cp "$3"/*.deb "$1/root/packages/"
cp -r tests/packages/. "$1/root/tests/"
printf '%s' "$4" >"$1/root/tests/script"
exec scripts/in-root "$1/root" bash /tests/script
"""

INSIDE = """
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PHP={php}
cd /
. /tests/steps.sh
"""


FRESH = 'ROOT=$PWD; . scripts/build.sh; . scripts/package.sh; packages_are_fresh "$1"'


def why_not():
    if not AM_ROOT:
        return "only root can enter another Debian"
    if not shutil.which("ip") or not BASE.exists():
        return f"{BASE.relative_to(ROOT)} is not there: ./x package {RELEASE} makes it"
    if not IN_FULL and subprocess.run(["bash", "-c", FRESH, "bash", RELEASE], cwd=ROOT).returncode != 0:
        return f"the packages of build/packages/{RELEASE} are not there, or of other sources than these: ./x package {RELEASE} makes them"
    return ""


WHY_NOT = why_not()


class Steps:
    """A Containerfile as lines of a shell script."""

    def __init__(self):
        self.build, self.start, self.health = [], [], ""


def steps_of(path):
    steps, user = Steps(), "root"
    entry, words = [], []
    for line in re.sub(r"\\\n", " ", path.read_text()).splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "COPY":
            steps.build.append("cp /packages/" + rest)
        elif kind == "RUN":
            steps.build.append(f"sh -ec {shlex.quote(rest)}")
        elif kind == "ENV":
            steps.start.append("export " + rest)
        elif kind == "USER":
            user = rest
        elif kind == "HEALTHCHECK":
            steps.health = shlex.join(json.loads(rest[rest.index("[") :]))
        elif kind == "ENTRYPOINT":
            entry = json.loads(rest)
        elif kind == "CMD":
            words = json.loads(rest)
        elif kind not in ("FROM", "VOLUME", "EXPOSE", "STOPSIGNAL", "") and not kind.startswith("#"):
            raise AssertionError(f"{path.name}: nobody tries a line of {kind}")
    become = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
    steps.start.append("exec " + shlex.join(become + entry + words))
    steps.build, steps.start = "\n".join(steps.build), "; ".join(steps.start)
    return steps


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Packages(SystemTest):
    def on_fresh_root(self, script):
        """The script's output by lines; it must succeed."""
        below = self.folder / "below"
        below.mkdir()
        alone = ["unshare", "--mount", "--net", "--propagation", "private"]
        script = INSIDE.format(php=PHP_VERSION) + script
        words = ["bash", "-c", OUTSIDE, "bash", below, BASE, PACKAGES, script, OVERLAY]
        done = subprocess.run([*alone, *map(str, words)], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX)  # fmt: skip
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return (done.stdout + done.stderr).splitlines()

    def test_site(self):
        """apt installs them; nginx and php-fpm as packaged serve a page with apcu_*, Memcached, Memcache, Leveret\\Cache and the server; nothing is left"""
        lines = self.on_fresh_root("""
            the_originals_go
            whats_there >/tests/before
            apt_install leveret php$PHP-leveret
            start_server
            start_site
            curl -sS http://127.0.0.1/page.php
            curl -sS http://127.0.0.1/page.php
            leveret get --arena default by-memcached; echo
            leveret list --color never
            php$PHP -r '$m = new Memcached; $m->addServer("arena:page", 0); echo "by the arena: ", $m->get("by-cache"), "\n";'
            man_pages_and_completions
            stop_all
            apt_remove leveret php$PHP-leveret
            echo "loaded after removal: $(php$PHP -m | grep -c leveret || true)"
            apt_purge leveret php$PHP-leveret
            whats_there >/tests/after
            diff /tests/before /tests/after && echo nothing is left
        """)
        self.assertEqual(2, lines.count("page: apcu=leveret memcached=leveret memcache=leveret cache=value server=value"), "\n".join(lines))
        self.assertIn("from PHP", lines)
        self.assertIn("by the arena: value", lines, "\n".join(lines))
        self.assertIn("loaded after removal: 0", lines)
        self.assertIn("nothing is left", lines)

    def test_symbols(self):
        """debug symbols are in their own packages"""
        for package in ("leveret", f"php{PHP_VERSION}-leveret", LIBRARY, "ruby-leveret"):
            # Ubuntu's are called *.ddeb.
            self.assertGreater(next(PACKAGES.glob(f"{package}-dbgsym_*deb")).stat().st_size, 1_000_000)

    @unittest.skipUnless(RELEASE == "12", "containers are of Debian 12")
    def test_containers(self):
        """the steps of the Containerfiles, one by one: a server that answers its health check and ends in time, and php-fpm that shares its cache"""
        server, site = (steps_of(ROOT / "packaging" / "containers" / name) for name in ("Containerfile.server", "Containerfile.php-fpm"))
        lines = self.on_fresh_root(f"""
            the_originals_go
            without_apt_update
            {server.build}
            # Both images make the group.
            {site.build.replace("groupadd", "groupadd --force")}
            # The volume of docs/how-to/containers.md.
            mount -t tmpfs -o size=1g,mode=2770,gid=11211 tmpfs /cache
            ({site.start}) & FPM=$!
            ({server.start}) & SERVER=$!
            until {server.health}; do sleep 0.1; kill -0 $SERVER; done
            echo healthy
            kill -TERM $SERVER; wait $SERVER && echo the server ended well
            fpm_answers
            kill -QUIT $FPM; wait $FPM && echo php-fpm ended well
        """)
        for line in ("healthy", "the server ended well", "page through fpm: leveret in /cache", "the command reads: v", "php-fpm ended well"):
            self.assertIn(line, lines, "\n".join(lines))

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_upgrade(self):
        """an upgrade under load loses no item and no worker, and new processes take the new version"""
        lines = self.on_fresh_root("""
            the_originals_go
            older_packages leveret php$PHP-leveret
            apt_install_files /older/*.deb
            start_server
            start_site
            curl -sS 'http://127.0.0.1/keys.php?store=2000'
            workers_before=$(site_workers)
            visitors
            apt_install leveret php$PHP-leveret
            visitors_end
            echo "same workers: $([ "$workers_before" = "$(site_workers)" ] && echo yes)"
            curl -sS 'http://127.0.0.1/keys.php?count=2000'
            restart_site
            curl -sS 'http://127.0.0.1/keys.php?count=2000'
            restart_server
            curl -sS 'http://127.0.0.1/keys.php?count=2000'
            dpkg-query -W leveret
            site_log
        """)
        said = "\n".join(lines)
        self.assertEqual(3, lines.count("found 2000 of 2000, 2000 by the server"), said)
        self.assertIn("same workers: yes", lines)
        self.assertTrue(any(re.fullmatch(r"visits: [1-9]\d*, failed: 0", line) for line in lines), said)
        self.assertNotRegex(said, "SIG(SEGV|BUS|ABRT)|exited on signal")

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_beside_the_originals(self):
        """where php-apcu, php-memcached and php-memcache stay, they answer as before; by the commands of docs/how-to/install.md they make room"""
        page = (ROOT / "docs" / "how-to" / "install.md").read_text()
        commands = re.search(r"^```bash\n(apt install .*?)^```", page, re.MULTILINE | re.DOTALL)[1].replace("8.2", PHP_VERSION)
        lines = self.on_fresh_root("""
            start_site
            curl -sS http://127.0.0.1/versions.php
            apt_install leveret php$PHP-leveret
            restart_site
            curl -sS http://127.0.0.1/versions.php
            systemctl() { restart_site; }
            cd /packages
        """ + commands + """
            curl -sS http://127.0.0.1/page.php
        """)
        said = "\n".join(lines)
        before, after = [line for line in lines if line.startswith("versions: ")]
        self.assertEqual(before, after, said)
        for name in ("apcu", "memcached", "memcache"):
            self.assertIn(f"php{PHP_VERSION}-leveret: {name} stays with php{PHP_VERSION}-{name} while that is enabled.", said)
        self.assertIn("page: apcu=leveret memcached=leveret memcache=leveret cache=value server=none", lines)

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_programs(self):
        """a C program compiled against libleveret-dev, shared and static, and Ruby see the same items"""
        lines = self.on_fresh_root("""
            apt_install leveret """ + LIBRARY + """ libleveret-dev ruby-leveret
            cd /tmp
            cc -Wall -Wextra -Werror /usr/share/doc/libleveret-dev/examples/greeting.c $(pkg-config --cflags --libs leveret) -o shared
            cc /usr/share/doc/libleveret-dev/examples/greeting.c $(pkg-config --cflags leveret) -l:libleveret.a \\
                $(pkg-config --static --libs-only-l leveret | sed 's/-lleveret //') -o static
            ./shared
            leveret rm --force default
            ./static
            leveret get greeting; echo
            ldd static | grep -c leveret || true
            ruby -r leveret -e 'puts "Ruby: #{Leveret::Cache.new.get("greeting")}"'
        """)
        said = "\n".join(lines)
        self.assertEqual(2, lines.count("hello from C, 12 bytes"), said)
        self.assertIn("hello from C", lines, said)
        self.assertIn("Ruby: hello from C", lines, said)

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_poor_machines(self):
        """a full tmpfs, no systemd-tmpfiles and a read-only root: one line names the missing part, and PHP continues"""
        lines = self.on_fresh_root("""
            the_originals_go
            mv /usr/bin/systemd-tmpfiles /tests/
            apt_install leveret php$PHP-leveret
            stat -c 'folder: %a %U %G' /dev/shm/leveret
            mount -o remount,size=64k /dev/shm
            head -c 65536 /dev/zero >/dev/shm/full || true
            php$PHP -d apc.enable_cli=1 -d leveret.apcu_cli=shared -r 'var_dump(apcu_store("k", 1)); echo "PHP goes on\n";'
            rm /dev/shm/full
            mount -o remount,size=256m /dev/shm
            mount -o remount,bind,ro /
            php$PHP -d apc.enable_cli=1 -d leveret.apcu_cli=shared -r 'apcu_store("k", "on a read-only root"); echo apcu_fetch("k"), "\n";'
        """)
        said = "\n".join(lines)
        self.assertIn("leveret: systemd-tmpfiles has not made /dev/shm/leveret; it is there now", said)
        self.assertIn("folder: 2770 root leveret", lines, said)
        self.assertIn("leveret: no space for /dev/shm/leveret/apcu-", said)
        self.assertIn("PHP goes on", lines, said)
        self.assertIn("on a read-only root", lines, said)

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_other_layout(self):
        """an arena of another layout, in use by older workers: newer processes log one line, the workers continue, and removing it fixes it"""
        lines = self.on_fresh_root("""
            the_originals_go
            sed -i 's/^pm = .*/pm = static/; s/^pm.max_children = .*/pm.max_children = 1/' /etc/php/$PHP/fpm/pool.d/www.conf
            apt_install leveret php$PHP-leveret
            start_site
            curl -sS http://127.0.0.1/page.php
            # docs/memory-layout.md: the layout version stands after the 8 bytes of the magic.
            printf '\\x41' | dd of=/dev/shm/leveret/page.arena bs=1 seek=8 conv=notrunc status=none
            curl -sS http://127.0.0.1/page.php
            php$PHP -r 'try { new Leveret\\Cache("page"); } catch (Leveret\\Exception $e) { echo "refused: ", $e->getMessage(), "
"; }'
            leveret rm --force page
            curl -sS http://127.0.0.1/page.php
            php$PHP -r 'echo "made anew: ", (new Leveret\\Cache("page"))->get("by-cache"), "
";'
        """)
        said = "\n".join(lines)
        self.assertEqual(3, lines.count("page: apcu=leveret memcached=leveret memcache=leveret cache=value server=none"), said)
        self.assertRegex(said, "refused: .*layout")
        self.assertIn("made anew: value", lines, said)

    @unittest.skipUnless(IN_FULL, f"./x package {RELEASE} runs it")
    def test_other_php(self):
        """apt refuses the extension where there is no PHP of its API, says so, and changes nothing"""
        lines = self.on_fresh_root("""
            dpkg-deb -R /packages/php$PHP-leveret_*.deb /tmp/other
            sed -i 's/phpapi-[0-9]*/phpapi-20190902/' /tmp/other/DEBIAN/control
            dpkg-deb -b /tmp/other /tmp/other.deb >/dev/null
            ! apt_install_files /tmp/other.deb || echo it was installed
            php$PHP -m | grep -x apcu
        """)
        self.assertNotIn("it was installed", lines)
        self.assertRegex("\n".join(lines), "php.*-leveret : Depends: phpapi-20190902")
        self.assertIn("apcu", lines)


if __name__ == "__main__":
    unittest.main()
