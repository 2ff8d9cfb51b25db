"""Another user of the host, with the rights of any user, such as creating names in /dev/shm first."""

import json
import signal
import subprocess
import unittest

from support import AM_ROOT, COMMAND, EXTENSION, PHP, PHP_VERSION, SystemTest, run

NEIGHBOUR = "games"
ROOT, SITE = "root", "www-data"

# A machine's own folders are left as they are: only what runs in here sees this /dev/shm. The kernel's own guards against links and FIFOs
# in such folders are off on some machines, so nothing here counts on them.
ROOM = """
mount -t tmpfs -o mode=755 none /mnt && cp "$@" /mnt && chmod 755 /mnt/* && mount -t tmpfs -o mode=1777 none /dev/shm && echo ready && exec sleep infinity
"""

# Everything under a path that the caller may open, for reading and for writing, and what it finds there of a text.
LOOK = r"""
import os, stat, sys
place, text = sys.argv[1], sys.argv[2].encode()
for folder, _, names in os.walk(place):
    for name in names:
        path = os.path.join(folder, name)
        for how in (os.O_RDONLY, os.O_RDWR):
            try:
                file = os.open(path, how | os.O_NONBLOCK)
            except OSError:
                continue
            found = stat.S_ISREG(os.fstat(file).st_mode) and text in os.pread(file, 1 << 28, 0)
            print("opened", path, "for writing" if how == os.O_RDWR else "for reading", "and found it" if found else "")
            os.close(file)
"""

SECRET = "the-secret-of-the-victim"
STORE = f"""$c = new Leveret\\Cache; echo json_encode([apcu_store('k', '{SECRET}'), $c->set('k', '{SECRET}'), apcu_fetch('k'), $c->get('k')]);"""
FETCH = "$c = new Leveret\\Cache; echo json_encode([apcu_fetch('k'), $c->get('k')]);"


@unittest.skipUnless(AM_ROOT, "only root can be another user, and have a /dev/shm of his own")
class Neighbour(SystemTest):
    def setUp(self):
        super().setUp()
        self.assertTrue(EXTENSION.exists() and COMMAND.exists(), "build/leveret.so or build/leveret is missing: run ./x build")
        alone = ["unshare", "--mount", "--propagation", "private", "bash", "-c", ROOM, "bash", str(EXTENSION), str(COMMAND)]
        self.room = self.start(alone, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = self.room.stdout.readline()
        if said != "ready\n":
            self.skipTest(f"this machine refuses a /dev/shm of one's own: {said}{self.room.communicate()[0]}".strip())

    def as_user(self, user, *words, groups=(), **variables):
        """The command line of a process of that user, in the room."""
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", f"--groups={','.join(groups)}" if groups else "--clear-groups"]
        clean = ["env", "-u", "LEVERET_DIR", *(f"{name}={value}" for name, value in variables.items())]
        # The room's root as well: entering only its mounts from a chroot leads to the root of the whole machine.
        return ["nsenter", f"--target={self.room.pid}", "--mount", "--root", "--wd", "--", *become, *clean, *map(str, words)]

    def do(self, user, *words, ends=0, **options):
        done = run(self.as_user(user, *words, **options))
        self.assertIn(done.returncode, ends if isinstance(ends, tuple) else (ends,), f"{user}: {words}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def sh(self, user, script, **options):
        return self.do(user, "bash", "-euc", script, **options)

    def php_command_of(self, user, code, *settings, **options):
        code = "extension_loaded('leveret') && (new ReflectionFunction('apcu_store'))->getExtensionName() === 'apcu' or exit(9); " + code
        ini = ("extension=/mnt/leveret.so", "apc.enable_cli=1", "leveret.apcu_cli=shared", "log_errors=0", "display_errors=stderr", *settings)
        return self.as_user(user, PHP, "-n", *(part for setting in ini for part in ("-d", setting)), "-r", code, **options)

    def php_of(self, user, code, *settings, **options):
        done = run(self.php_command_of(user, code, *settings, **options))
        self.assertEqual(0, done.returncode, f"{user}: PHP ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def leveret_of(self, user, *words, **options):
        return self.do(user, "/mnt/leveret", *words, **options)

    def assert_closed(self, place="/dev/shm"):
        """The other user cannot read or write the victim's items."""
        seen = self.do(NEIGHBOUR, "/usr/bin/python3", "-c", LOOK, place, SECRET)
        self.assertNotIn("found it", seen)
        return seen

    def files(self, place):
        """Regular files under a place, with their owners."""
        return self.sh(ROOT, f"find {place} -type f -printf '%u %p\\n' 2>/dev/null || true").splitlines()

    def test_squatted_folder(self):
        """A user who creates /dev/shm/leveret before the packages gets no items of others, and gives them none; all have a working cache, and doctor names that user"""
        self.sh(NEIGHBOUR, "mkdir /dev/shm/leveret && chmod 3777 /dev/shm/leveret")
        # Bait for the others.
        for name in ("default", "apcu", f"apcu-{PHP_VERSION}"):
            self.leveret_of(NEIGHBOUR, "set", "--arena", f"/dev/shm/leveret/{name}.arena", "k", "POISON")
        self.sh(NEIGHBOUR, "chmod 660 /dev/shm/leveret/*")
        before = self.files("/dev/shm/leveret")
        for user in (ROOT, SITE):
            with self.subTest(user):
                self.assertEqual([False, None], self.php_of(user, FETCH))
                self.assertEqual([True, True, SECRET, SECRET], self.php_of(user, STORE))
                self.assertEqual([SECRET, SECRET], self.php_of(user, FETCH))
                self.assertEqual(SECRET, self.leveret_of(user, "get", "k"))
                self.leveret_of(user, "set", "k2", SECRET)
                self.assertEqual(SECRET, self.leveret_of(user, "get", "k2"))
                self.serve(user)
                told = self.leveret_of(user, "doctor", "--no-php", ends=1)
                self.assertIn("/dev/shm/leveret", told)
                self.assertIn(f"belongs to {NEIGHBOUR}", told)
                self.assertIn("rm -r", told)
        self.assertEqual(before, self.files("/dev/shm/leveret"))
        self.assert_closed()

    def serve(self, user):
        """`leveret serve` of that user has the items that its command line and PHP find, and other users do not."""
        socket = f"/dev/shm/{user}.sock"
        command = self.as_user(user, "/mnt/leveret", "serve", "--arena", "default", "-s", socket, "-u", user)
        server = self.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait_for("the server", lambda: run(self.as_user(user, "/mnt/leveret", "ping", socket, "--quiet")).returncode == 0 or server.poll())
        store = f"$m = new Memcached; $m->addServer('{socket}', 0); echo json_encode($m->set('served', '{SECRET}'));"
        self.assertIs(True, self.php_of(user, store))
        self.assertEqual(SECRET, self.leveret_of(user, "get", "served"))
        server.terminate()
        self.assertIn("/dev/shm/leveret ", server.communicate()[1])

    def test_link_to_a_folder(self):
        """A link at /dev/shm/leveret is not followed, even to a trusted folder"""
        self.sh(ROOT, f"install -d -m 700 -o {SITE} /dev/shm/pages")
        self.sh(NEIGHBOUR, "ln -s /dev/shm/pages /dev/shm/leveret")
        self.assertEqual([True, True, SECRET, SECRET], self.php_of(SITE, STORE))
        self.assertEqual([], self.files("/dev/shm/pages"))
        self.assert_closed()
        self.assertIn("/dev/shm/leveret belongs to games", self.leveret_of(SITE, "doctor", "--no-php", ends=1))

    def test_every_name_taken(self):
        """A user who takes the names of users' own folders disables no cache: all processes of a user share another folder"""
        for name in ("leveret", "leveret-0", "leveret-33", "leveret-33.0", "leveret-0.0"):
            self.sh(NEIGHBOUR, f"mkdir -m 777 /dev/shm/{name}")
        for user in (ROOT, SITE):
            with self.subTest(user):
                many = [self.start(self.php_command_of(user, "echo apcu_inc('starts');"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                        for _ in range(4)]
                self.assertEqual(["1", "2", "3", "4"], sorted(one.communicate()[0] for one in many))
                self.assertEqual([True, True, SECRET, SECRET], self.php_of(user, STORE))
                self.assertEqual(SECRET, self.leveret_of(user, "get", "k"))
                self.assertIn(f"games, who has taken the name of {user}'s own folder", self.leveret_of(user, "doctor", "--no-php", ends=1))
        self.assert_closed()
        # When root removes the folder, no items are left, and running processes continue.
        self.sh(ROOT, "rm -r /dev/shm/leveret-33")
        self.assertEqual(SECRET, self.leveret_of(SITE, "get", "k"))

    def test_named_folder(self):
        """A named folder (leveret.dir, LEVERET_DIR, a path) that another user owns or links to is refused, with the fix"""
        self.sh(NEIGHBOUR, "mkdir -m 3777 /dev/shm/shop && ln -s /dev/shm/own /dev/shm/link")
        self.sh(ROOT, f"install -d -m 700 -o {SITE} /dev/shm/own /dev/shm/own/below")
        self.leveret_of(NEIGHBOUR, "set", "--dir", "/dev/shm/shop", "k", "POISON")
        self.sh(NEIGHBOUR, "chmod 666 /dev/shm/shop/*")
        before = self.files("/dev/shm/shop")
        for user in (ROOT, SITE):
            for folder, why in (("/dev/shm/shop", "belongs to uid 5,"), ("/dev/shm/link", "a symbolic link of uid 5,"), ("/dev/shm/link/below", "a symbolic link of uid 5,")):
                with self.subTest(f"{user}: {folder}"):
                    new = "try { new Leveret\\Cache; $said = 'opened'; } catch (Leveret\\ArenaException $e) { $said = $e->getMessage(); } "
                    self.assertIn(why, self.php_of(user, new + "echo json_encode($said);", f"leveret.dir={folder}"))
                    self.assertEqual([False, False], self.php_of(user, "echo json_encode([apcu_store('k', 1), apcu_fetch('k')]);", f"leveret.dir={folder}"))
                    self.assertIn(why, self.leveret_of(user, "set", "k", SECRET, LEVERET_DIR=folder, ends=3))
                    self.assertIn(why, self.leveret_of(user, "set", "--arena", f"{folder}/x.arena", "k", SECRET, ends=3))
                    self.assertIn(why, self.leveret_of(user, "serve", "--dir", folder, "-s", "/dev/shm/socket", "-u", user, ends=3))
                    self.assertIn(why, self.leveret_of(user, "doctor", "--no-php", "--dir", folder, ends=1))
        self.assertEqual(before, self.files("/dev/shm/shop"))
        self.assertEqual([], self.files("/dev/shm/own"))
        # A link of root's, or of one's own, is how administrators name folders.
        self.sh(ROOT, "ln -s /dev/shm/own /dev/shm/roots")
        self.leveret_of(SITE, "set", "--dir", "/dev/shm/roots", "k", SECRET)
        self.assertEqual(SECRET, self.leveret_of(SITE, "get", "--dir", "/dev/shm/own", "k"))
        self.assert_closed()

    def test_planted_files(self):
        """In a folder where everybody may create files another user's arena, lock, link or FIFO is refused at once, also by root, and changes no file"""
        self.sh(ROOT, f"mkdir -m 1777 /dev/shm/all && printf '{SECRET}' > /dev/shm/password && chmod 640 /dev/shm/password")
        self.leveret_of(NEIGHBOUR, "set", "--arena", "/dev/shm/all/arena.arena", "k", "POISON")
        self.sh(NEIGHBOUR, "cd /dev/shm/all && chmod 664 arena.arena && ln -s ../password link.arena && mkfifo fifo.arena && mkdir folder.arena"
                           " && touch lock.arena.lock && mkfifo fifolock.arena.lock && ln -s ../password linklock.arena.lock"
                           " && chmod 666 lock.arena.lock fifolock.arena.lock")
        for user in (ROOT, SITE):
            for name in ("arena", "link", "fifo", "folder", "lock", "fifolock", "linklock"):
                with self.subTest(f"{user}: {name}"):
                    told = self.leveret_of(user, "set", "--arena", f"/dev/shm/all/{name}.arena", "k", SECRET, ends=3)
                    self.assertIn(f"/dev/shm/all/{name}.arena", told)
                    self.leveret_of(user, "get", "--arena", f"/dev/shm/all/{name}.arena", "k", ends=3)
        # Hard links, where the kernel lets him have them.
        self.sh(NEIGHBOUR, "ln /dev/shm/password /dev/shm/all/hard.arena.lock || true")
        self.leveret_of(ROOT, "set", "--arena", "/dev/shm/all/hard.arena", "k", SECRET, ends=(0, 3))
        self.assertEqual("640 root", self.sh(ROOT, "stat -c '%a %U' /dev/shm/password").strip())
        self.assertIn("every user may create files", self.leveret_of(SITE, "doctor", "--no-php", "--dir", "/dev/shm/all", ends=1))
        self.sh(ROOT, "rm /dev/shm/password")
        self.assert_closed()

    def test_folder_of_a_group(self):
        """In the folder that packages make, root and the group's members share, members' private files are refused, and others see nothing"""
        self.sh(ROOT, f"install -d -m 2770 -o root -g {SITE} /dev/shm/leveret")
        self.assertEqual([True, True, SECRET, SECRET], self.php_of(SITE, STORE))
        self.assertEqual([SECRET, SECRET], self.php_of(ROOT, FETCH))
        self.assertEqual(SECRET, self.leveret_of("daemon", "get", "k", groups=[SITE]))
        self.assert_closed()
        self.assertNotIn("/dev/shm/leveret/", self.assert_closed())
        self.assertEqual([False, None], self.php_of(NEIGHBOUR, FETCH))
        # Planted before the folder was root's, say: neither root's, nor the user's own, nor the group's.
        self.sh(ROOT, f"install -m 660 -o {NEIGHBOUR} -g {NEIGHBOUR} /dev/shm/leveret/default.arena /dev/shm/leveret/other.arena")
        self.assertIn("belongs to uid 5,", self.leveret_of(ROOT, "get", "--arena", "other", "k", ends=3))
        self.assertIn("belongs to uid 5,", self.leveret_of(ROOT, "doctor", "--no-php", ends=1))
        self.assertEqual(SECRET, self.leveret_of(ROOT, "get", "k"))

    def test_folder_made_by_packages_late(self):
        """doctor's fix: the other user's folder is removed with its files, and the group shares a new one"""
        self.sh(NEIGHBOUR, "mkdir -m 3777 /dev/shm/leveret")
        self.leveret_of(NEIGHBOUR, "set", "--dir", "/dev/shm/leveret", "k", "POISON")
        told = json.loads(self.leveret_of(ROOT, "doctor", "--no-php", "--json", ends=1).splitlines()[1])
        self.assertEqual("problem", told["level"])
        removing = told["fix"].split(";")[0]
        self.assertEqual("rm -r /dev/shm/leveret", removing)
        self.sh(ROOT, f"{removing}; install -d -m 2770 -o root -g {SITE} /dev/shm/leveret")
        self.assertEqual([True, True, SECRET, SECRET], self.php_of(SITE, STORE))
        self.assertEqual([SECRET, SECRET], self.php_of(ROOT, FETCH))
        self.leveret_of(ROOT, "doctor", "--no-php")

    def test_files_of_the_server(self):
        """Pid file, port file and what -e leaves: links that wait in their places make neither root nor the server's user write to another file"""
        self.sh(ROOT, f"install -d -o {NEIGHBOUR} /dev/shm/run && echo precious > /dev/shm/precious && install -d -m 1777 /dev/shm/all")
        self.sh(NEIGHBOUR, "cd /dev/shm/run && for name in pid ports; do for end in .tmp .lck ''; do ln -s ../precious $name$end; done; done")
        server = self.start_server(NEIGHBOUR, "-l", "127.0.0.1", "-p", "-1", "-P", "/dev/shm/run/pid", MEMCACHED_PORT_FILENAME="/dev/shm/run/ports")
        self.wait_for("both files", lambda: server.poll() or self.sh(ROOT, "cd /dev/shm/run; test -L pid || test -L ports || cat pid ports"))
        written = self.sh(ROOT, "cat /dev/shm/run/pid /dev/shm/run/ports")
        self.assertRegex(written, r"^[0-9]+\nTCP INET: [0-9]+\n")
        self.assertEqual("precious", self.sh(ROOT, "cat /dev/shm/precious").strip())
        server.terminate()
        self.assertEqual("", server.communicate()[1])

        self.sh(SITE, "echo precious > /dev/shm/precious-of-site")
        for name, plant in (("fifo", "mkfifo -m 666 fifo.meta"), ("link", "ln -s ../precious-of-site link.meta")):
            self.sh(NEIGHBOUR, f"cd /dev/shm/all && {plant}")
            server = self.start_server(SITE, "-s", "/dev/shm/socket", "-e", f"/dev/shm/all/{name}")
            self.assertIn(f"cannot read /dev/shm/all/{name}.meta", server.communicate(timeout=30)[1])
        server = self.start_server(SITE, "-s", "/dev/shm/socket", "-a", "777", "-e", "/dev/shm/all/late")
        self.wait_for("the server", lambda: run(self.as_user(SITE, "/mnt/leveret", "ping", "/dev/shm/socket", "--quiet")).returncode == 0 or server.poll())
        self.sh(NEIGHBOUR, "ln -s ../precious-of-site /dev/shm/all/late.meta")
        server.send_signal(signal.SIGUSR1)
        self.assertIn("cannot write /dev/shm/all/late.meta", server.communicate(timeout=30)[1])
        self.assertEqual("precious", self.sh(ROOT, "cat /dev/shm/precious-of-site").strip())

    def test_owner_of_the_socket(self):
        """A Unix socket belongs to the user of -u, as memcached's does: its mode and the folder decide which users may connect"""
        self.sh(ROOT, f"install -d -m 755 -o {SITE} -g {SITE} /dev/shm/run")
        owners = []
        for command in (["memcached"], ["/mnt/leveret", "serve", "--arena", "/dev/shm/run/x.arena"]):
            server = self.start(self.as_user(ROOT, *command, "-u", SITE, "-s", "/dev/shm/run/socket", "-a", "770"))
            self.wait_for("the socket", lambda: run(self.as_user(SITE, "/mnt/leveret", "ping", "/dev/shm/run/socket", "--quiet")).returncode == 0 or server.poll())
            owners.append(self.sh(ROOT, "stat -c '%U %G %a' /dev/shm/run/socket").strip())
            server.terminate()
            server.wait()
            self.sh(ROOT, "rm -f /dev/shm/run/socket")
        self.assertEqual([f"{SITE} {SITE} 770"] * 2, owners)

    def test_file_of_users(self):
        """A file of users (-Y) that everybody may read or write is taken, as memcached does, and said"""
        for mode, told in (("600", None), ("640", None), ("644", "may read the passwords in"), ("666", "may write to")):
            self.sh(SITE, f"echo anna:secret > /dev/shm/users && chmod {mode} /dev/shm/users")
            server = self.start_server(SITE, "-s", "/dev/shm/socket", "-Y", "/dev/shm/users")
            self.wait_for("the server", lambda: run(self.as_user(SITE, "/mnt/leveret", "ping", "/dev/shm/socket", "--quiet")).returncode in (0, 1) or server.poll())
            server.terminate()
            said = server.communicate(timeout=30)[1]
            self.assertEqual(f"leveret: every user {told} the file of users /dev/shm/users; chmod o-rw it\n" if told else "", said)

    def start_server(self, user, *words, **variables):
        """Started by root, which becomes that user."""
        command = self.as_user(ROOT, "/mnt/leveret", "serve", "--arena", "served", "-u", user, *words, **variables)
        return self.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


if __name__ == "__main__":
    unittest.main()
