"""The commands that `leveret doctor` prints, run as printed on a site of php-fpm: afterwards the finding is gone, and there is no new one."""

import unittest

from packages_here import packages_here
from roots import in_own_root, why_no_root
from support import AM_ROOT, SystemTest

SITE = r"""
act_as_systemd
cd /packages
start_site
apt_install leveret php$PHP-leveret
usermod -aG leveret www-data
phpdismod -v "$PHP" apcu memcached memcache
POOL=/etc/php/$PHP/fpm/pool.d/shop.conf
INI=/etc/php/$PHP/mods-available/leveret.ini
# A second pool of the same user: a finding of both is reported once.
printf '[shop]\nuser = www-data\ngroup = www-data\nlisten = /run/php/shop.sock\npm = ondemand\npm.max_children = 1\n' >"$POOL"
restart_site
curl -sS http://127.0.0.1/versions.php
leveret set k kept --arena shop --memory 64M
[ -z "$(findings)" ] && echo healthy
S=/dev/shm/leveret
"""

FOLDER = r"""
chmod 700 $S;                       ill "700" warning "root:leveret with mode 2700"
chmod 777 $S;                       ill "777" problem "root:leveret with mode 2777"
chmod 3777 $S;                      ill "3777" problem "mode 3777"
chmod g-s $S;                       ill "not setgid" warning "mode 0770"
chgrp root $S;                      ill "of root's group" warning "root:root with mode"
chown games $S;                     ill "of another user" problem "belongs to games"
restart_site; curl -sS http://127.0.0.1/versions.php; leveret set k kept --arena shop --memory 64M

chown root:root $S/shop.arena; chmod 600 $S/shop.arena
ill "root's own file" problem "pools shop, www (user www-data): it cannot open $S/shop.arena"
chown www-data:www-data $S/shop.arena; chmod 600 $S/shop.arena
ill "another user's own file" problem "is not to be trusted"
chmod 666 $S/shop.arena;            ill "a file of everybody's" problem "shop.arena"
echo "the items are still there: $(leveret get k --arena shop)"

echo x >$S/foreign.arena;           ill "a foreign file" problem foreign
: >$S/half.arena.4194305.tmp;       ill "half a file" note "was left behind"
"""

PHP_AND_SERVER = r"""
install -d -o games /dev/shm/leveret-33;  ill "a squatter" warning "belongs to games, who has taken the name of www-data's"
gpasswd -d www-data leveret;        ill "no member" warning "pools shop, www (user www-data): its arenas are in /dev/shm/leveret-33"

echo 'php_admin_value[leveret.dir] = /srv/caches' >>"$POOL"
found=$(findings); [[ $found = *"pool shop (user www-data): it cannot use /srv/caches"* ]] && fix problem /srv/caches
[[ $(findings) != *"cannot use"* ]] && echo the folder is made
sed -i /leveret.dir/d "$POOL"

phpdismod -v "$PHP" leveret;        ill "disabled" problem "nothing provides apcu, memcached, memcache"
phpenmod -v "$PHP" apcu;            ill "the original apcu" warning "the real apcu.so is loaded beside leveret.so"
phpenmod -v "$PHP" memcached;       ill "the original memcached" note "the real memcached.so"

echo 'apc.shm_size = 32' >>"$INI"
[ -z "$(findings)" ] && echo "no unit: no finding"
sed -i '$d' "$INI"; echo 'apc.shm_size = 64MB' >>"$INI"; findings
sed -i '$d' "$INI"; echo 'apc.shm_size = 16M' >>"$INI"
ill "another size" note "apc.shm_size=16M, but the arena apcu-$PHP has 32.0 MiB"
sed -i '$d' "$INI"; echo 'leveret.memory = 256M' >>"$INI"; leveret set k v --arena mail --memory 8M
ill "other sizes" note "leveret.memory=256M, but the arena mail has 8.0 MiB, shop has 64.0 MiB"
sed -i '$d' "$INI"

systemctl start memcached; : >/tests/failed
ill "memcached holds the port" problem "leveret.service has failed, and memcached (pid "
is_active memcached || is_active leveret && echo the server runs

leveret set k v --arena shop --memory 64M
head -c 20M /dev/zero >/dev/shm/other
mount -o remount,size=48m /dev/shm
findings
ill "a full tmpfs" warning "/dev/shm/leveret has "
"""

# Folders that LEVERET_DIR names, users without rights, and limits.
PLACES = r"""
DOCTOR=--no-php
named() { export LEVERET_DIR=/dev/shm/$1; shift; [ $# = 0 ] || install -d "$@" "$LEVERET_DIR"; }
named absent;                       ill "no folder" problem "/dev/shm/absent does not exist"
named open -m 777;                  ill "everybody's folder" problem "every user may write to this folder"
named sticky -m 1777;               fix warning "every user may create files in /dev/shm/sticky"
named sticky/arenas;                [ -z "$(findings)" ] && echo "the folder in it is well"
named fixed -m 700; mount -t tmpfs -o mode=700 none $LEVERET_DIR; mount -o remount,ro $LEVERET_DIR
                                    ill "a read-only folder" problem "is mounted read-only"

AS=games
named a -m 500 -o games;            ill "without its own right" problem "games may not use /dev/shm/a"
named b -m 700;                     ill "root's folder" problem "games may not use /dev/shm/b"
named c -m 2770 -g leveret;         ill "a group's folder" problem "games may not use /dev/shm/c"
AS=
groups games | grep -qw leveret && echo "games is a member"

unset LEVERET_DIR
install -d -m 700 -o news /dev/shm/leveret-9
runuser -u news -- leveret set k v --dir /dev/shm/leveret-9 --arena news --memory 8M
AS=news;                            ends "the group's folder" warning "$S exists, but news may not write there"
AS=
                                    ends "a member's own folder" note "/dev/shm/leveret-9 holds arenas of news"
leveret set k v --dir /dev/shm/leveret-0 --arena root --memory 8M 2>/dev/null || { install -d -m 700 /dev/shm/leveret-0; leveret set k v --dir /dev/shm/leveret-0 --arena root --memory 8M; }
                                    ends "root's own folder" note "/dev/shm/leveret-0 holds arenas of root"

named limits -m 700
ulimit -S -n 60;                    ill "few files" warning "only 60 open files"
ulimit -S -f 10000;                 ill "small files" problem "files are limited to"
ulimit -S -v 120000;                ill "little address space" problem "address space is limited to"
unset LEVERET_DIR DOCTOR

install -d -m 777 -o www-data /dev/shm/pool
echo 'php_admin_value[leveret.dir] = /dev/shm/pool' >>"$POOL"
                                    ends "a pool's folder for everybody" problem "it cannot use /dev/shm/pool (leveret.dir): every user may write to it"
rm -r /dev/shm/pool; : >/dev/shm/pool
                                    ends "a file in the folder's place" problem "it cannot use /dev/shm/pool (leveret.dir): that is not a folder"
sed -i /leveret.dir/d "$POOL"

phpdismod -v "$PHP" leveret; rm "$INI"
                                    ends "no settings" problem "nothing provides apcu, memcached, memcache"
"""

@unittest.skipUnless(AM_ROOT, "only root can have a root of its own")
class DoctorFixes(SystemTest):
    def inside(self, script):
        missing = why_no_root(self.folder)
        if missing:
            self.skipTest(f"a root of its own cannot be made here: {missing}")
        done = in_own_root(self.folder, script, packages_here(), 300)
        said = done.stdout + done.stderr
        self.assertEqual(0, done.returncode, said)
        for word in ("NOT SO", "STILL THERE"):
            self.assertNotIn(word, said)
        return said

    def test_folder_and_files(self):
        """a folder or a file of a wrong owner or mode: one finding, and one command that keeps the items"""
        said = self.inside(SITE + FOLDER)
        self.assertIn("healthy", said)
        self.assertIn("the items are still there: kept", said)
        self.assertEqual(FOLDER.count('ill "'), said.count("ended: "), said)

    def test_php_and_server(self):
        """PHP's modules, users, folders and sizes, a full tmpfs, and a server whose port memcached holds"""
        said = self.inside(SITE + PHP_AND_SERVER)
        self.assertIn("/dev/shm/other takes 20.0 MiB", said)
        self.assertEqual(PHP_AND_SERVER.count('ill "'), said.count("ended: "), said)
        self.assertIn("no unit: no finding", said)
        self.assertIn("apc.shm_size=64MB is not a size", said)

    def test_places_users_and_limits(self):
        """folders that are named, users without rights, limits, pools' folders

        Sentences without a command of their own, so run by no test: choose or name another folder, log in again, a disk or an unknown file
        system, Docker's options, a container's memory, "Set SETTING in FILE" (sizes, apc.enabled, evictions), "Install the extension", "Remove the
        line extension=", another folder than this command's, what to look at (journalctl, ps, leveret stats, ls -l). Commands that no root here
        can run: loginctl enable-linger (no logind), the line for a PHP that is not Debian's.
        """
        said = self.inside(SITE + PLACES)
        for line in ("the folder in it is well", "games is a member"):
            self.assertIn(line, said)
        self.assertEqual(PLACES.count('ill "') + PLACES.count('ends "'), said.count("ended: "), said)


if __name__ == "__main__":
    unittest.main()
