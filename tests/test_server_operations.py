"""`leveret serve` as an administrator meets it: options, configuration files, restarts, users, what it listens to."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import unittest

from servers import Server, both, listens, tool
from support import COMMAND, EXTENSION, PHP, SystemTest, run


class Operations(SystemTest):
    def test_restarts_keep_the_cache(self):
        """the cache is there after a plain restart, after SIGUSR1 with -e, and after SIGKILL"""
        arena = self.arenas / "kept.arena"
        memory_file = self.folder / "memory"
        first = Server(self, "leveret", arena=arena)
        first.talk(b"set k 7 0 5\r\nhello\r\nset n 0 1000 2\r\n10\r\n", end=b"STORED\r\nSTORED\r\n")
        endings = [(signal.SIGTERM, ()), (signal.SIGUSR1, ("-e", memory_file)), (signal.SIGKILL, ()), (signal.SIGINT, ())]
        server = first
        for count, (ending, options) in enumerate(endings):
            server.kill(ending)
            server = Server(self, "leveret", *map(str, options), arena=arena)
            self.assertEqual(b"VALUE k 7 5\r\nhello\r\nEND\r\n", server.talk(b"get k\r\n"), f"after {ending.name}")
            self.assertEqual(f"{11 + count}\r\n".encode(), server.talk(b"incr n 1\r\n", end=b"\r\n"))
        self.assertEqual(0, tool(COMMAND, "verify", "--arena", arena).returncode)

    def test_two_instances_are_two_caches(self):
        """two servers with only an address each are two caches, on ports and Unix sockets, as two memcacheds are"""
        user = "root" if os.geteuid() == 0 else os.environ["USER"]
        for kind, program in (("memcached", ["memcached"]), ("leveret", [str(COMMAND), "serve"])):
            ports, paths = free_ports(2), [self.folder / f"{kind}-{number}" for number in (1, 2)]
            places = [(("127.0.0.1", port), ["-l", "127.0.0.1", "-p", str(port)]) for port in ports] + [(str(path), ["-s", str(path)]) for path in paths]
            for place, options in places:
                self.start([*program, "-u", user, *options], env={**os.environ, "LEVERET_DIR": str(self.arenas)})
                self.wait_for(f"{kind} at {place}", lambda: asks(place, b"") == b"")
            for number, (place, _) in enumerate(places):
                self.assertEqual(b"STORED\r\n", asks(place, f"set k{number} 0 0 1\r\n{number}\r\n".encode()))
            for number, (place, _) in enumerate(places):
                self.assertEqual(f"VALUE k{number} 0 1\r\n{number}\r\nEND\r\n".encode(), asks(place, b"get k0 k1 k2 k3\r\n"), f"{kind} at {place}")
        self.assertEqual(4, len(list(self.arenas.glob("*.arena"))))

    def test_debian_configuration(self):
        """Debian's /etc/memcached.conf is read as it is"""
        configuration = self.folder / "memcached.conf"
        path = self.folder / "socket"
        text = open("/etc/memcached.conf").read()
        self.assertIn("-m 64", text)
        text = re.sub(r"(?m)^(-P|-u|logfile).*$", r"# \g<0>", text)
        configuration.write_text(text + f"\n-s {path}\n-I 2m\n# -vv\n")
        arena = self.arenas / "debian.arena"
        user = "root" if os.geteuid() == 0 else os.environ["USER"]
        self.start([str(COMMAND), "serve", "--memcached-conf", str(configuration), "--arena", str(arena), "-u", user], stderr=subprocess.DEVNULL)
        self.wait_for("the socket", lambda: listens(path))
        settings = tool(COMMAND, "settings", path).stdout
        self.assertRegex(settings, r"item_size_max +2097152")
        self.assertRegex(settings, r"maxbytes +67108864")

    def test_refusals(self):
        """what memcached refuses at its start is refused in plain words, and names what is allowed"""
        for options, said in [
            (["-I", "1000"], "1024|1k"), (["-I", "2000m"], "gigabyte"), (["-c", "0"], "-c"), (["-t", "0"], "-t"), (["-B", "http"], "auto"),
            (["-l", "no.such.host.invalid"], "no.such.host.invalid"), (["-S"], "who may sign in"), (["-Z"], "ssl_chain_cert=FILE"), (["-o", "nonsense=1"], "nonsense"),
        ]:
            done = tool(COMMAND, "serve", "-p", "-1", "--dir", self.arenas, "-u", "root", *options)
            self.assertNotEqual(0, done.returncode, options)
            self.assertRegex(done.stderr, said, options)
        done = tool(COMMAND, "serve", "-f", "1.25", "-n", "48", "-L", "-o", "hashpower=20,slab_reassign", "-V")
        self.assertEqual(0, done.returncode, done.stderr)

    def test_a_link_in_memcacheds_place(self):
        """a link of the name memcached takes memcached's command line, and says which memcached it is where memcached does"""
        link = self.folder / "memcached"
        link.symlink_to(COMMAND)
        for word in ("-h", "-V"):
            first = [tool(program, word).stdout.splitlines()[0] for program in ("memcached", link)]
            self.assertRegex(first[0], r"^memcached 1\.6\.\d+$")
            self.assertEqual("memcached 1.6.45", first[1])
        user = "root" if os.geteuid() == 0 else os.environ["USER"]
        port, pidfile = free_ports(1)[0], self.folder / "pid"
        command = [link, "-d", "-m", "64", "-p", port, "-u", user, "-l", "127.0.0.1", "-P", pidfile]
        done = subprocess.run(list(map(str, command)), env={**os.environ, "LEVERET_DIR": str(self.arenas)}, stdin=subprocess.DEVNULL, timeout=120)
        self.addCleanup(lambda: os.kill(int(pidfile.read_text()), signal.SIGTERM))
        self.assertEqual(0, done.returncode)
        self.assertEqual(b"VERSION 1.6.45\r\n", asks(("127.0.0.1", port), b"version\r\n"))

    def test_every_option_of_memcached(self):
        """each option in the help of Debian's memcached is accepted, by its letter, its long name, and with -o"""
        told = tool("memcached", "-h").stdout
        options = re.findall(r"(?m)^(-\w),? +(--[\w-]+)?(=<)?", told)
        self.assertGreater(len(options), 35, told)
        # Options with a value, of which the help does not show all; -S has its file in a variable, and the rest prints and ends.
        values = {"-p": "-1", "-U": "0", "-s": self.folder / "socket", "-a": "770", "-l": "127.0.0.1", "-u": "root", "-m": "64", "-c": "100",
                  "-P": self.folder / "pid", "-f": "1.5", "-n": "64", "-D": ".", "-t": "2", "-R": "10", "-b": "100", "-B": "auto", "-I": "2m",
                  "-Y": self.folder / "users", "-e": self.folder / "memory", "-o": "modern", "-N": "1"}
        others = {"-h", "-V", "-i"}
        os.environ["MEMCACHED_SASL_PWDB"] = str(self.folder / "passwords")
        self.addCleanup(os.environ.pop, "MEMCACHED_SASL_PWDB")
        for letter, name, shows_value in options:
            self.assertTrue(letter in values or not shows_value, letter)
            words = [[letter, str(values[letter])] if letter in values else [letter]]
            if name:
                # The help of 1.6.18 says --napi_ids, the program takes --napi-ids.
                name = name.replace("_", "-")
                words.append([f"{name}={values[letter]}" if letter in values else name])
            for option in words:
                with self.subTest(option=option):
                    done = tool(COMMAND, "serve", *option, *([] if letter in others else ["-V"]))
                    self.assertEqual(0, done.returncode, done.stderr)
        without_files = tool(COMMAND, "serve", "-Z")
        self.assertEqual(2, without_files.returncode, without_files.stderr)
        self.assertIn("ssl_chain_cert=FILE", without_files.stderr)
        # Ours is no proxy, and says so.
        names = [name for name in re.findall(r"(?m)^   - (\w+):", told) if not name.startswith("proxy_")]
        self.assertGreater(len(names), 40, told)
        numbers = {"hash_algorithm": "xxh3", "hot_lru_pct": "20", "warm_lru_pct": "40", "hot_max_factor": "0.2", "warm_max_factor": "2",
                   "hashpower": "20", "tail_repair_time": "100", "slab_automove_freeratio": "0.1", "slab_chunk_max": "512", "ssl_min_version": "2"}
        bare = {"maxconns_fast", "track_sizes", "modern", "ext_drop_unread", "ssl_session_cache", "ssl_kernel_tls"}
        extended = ",".join(name if name in bare or name.startswith("no_") else f"{name}={numbers.get(name, 1)}" for name in names)
        server = Server(self, "leveret", "-o", extended, udp=False)
        self.assertEqual(b"END\r\n", server.talk(b"get k\r\n"))
        server.errors.seek(0)
        said = server.errors.read()
        self.assertIn("accepted without effect", said)
        self.assertEqual(1, len(said.splitlines()), said)
        self.remark(f"{len(options)} options, {len(names)} behind -o")

    def test_only_loopback_and_no_udp(self):
        """by default it listens on loopback only, and not to UDP"""
        server = Server(self, "leveret", udp=False)
        listening = tool("ss", "-Hlnp").stdout if tool("sh", "-c", "command -v ss").returncode == 0 else ""
        with open("/proc/net/tcp") as table:
            mine = [line.split() for line in table if f":{server.port:04X} " in line.split()[1] + " " and line.split()[3] == "0A"]
        self.assertEqual(["0100007F"], [row[1].split(":")[0] for row in mine], listening)
        with open("/proc/net/udp") as table:
            self.assertEqual([], [line for line in table if f":{server.port:04X} " in line])

    def test_users(self):
        """with -Y no client reads before it has sent a name and its password"""
        users = self.folder / "users"
        users.write_text("ann:secret\n")
        for server in both(self, "-Y", str(users), udp=False):
            self.assertTrue(server.talk(b"get k\r\n", end=b"\r\n").startswith(b"CLIENT_ERROR"))
            self.assertTrue(server.talk(b"set x 0 0 9\r\nann wrong\r\n", end=b"\r\n").startswith(b"CLIENT_ERROR"))
            known = server.connect()
            for said, heard in [(b"set x 0 0 10\r\nann secret\r\n", b"STORED\r\n"), (b"get k\r\n", b"END\r\n")]:
                known.sendall(said)
                self.assertEqual(heard, known.recv(100))

    def test_commands_sign_in(self):
        """commands sign in where -Y asks, by USER@ and a file; the password is in nothing that shows, nor left in a server without users"""
        users, secret = self.folder / "users", "kept-out-of-sight-6fJ"
        users.write_text(f"bob:{secret}2\nann:{secret}\n")
        users.chmod(0o600)

        def said(*words, passwords=users):
            return subprocess.run([COMMAND, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "LEVERET_PASSWORD_FILE": str(passwords)})
        servers = [*both(self, "-vv", "-Y", str(users), udp=False), Server(self, "leveret", "-Y", str(users), unix=True)]
        wrong, empty = self.folder / "wrong", self.folder / "empty"
        wrong.write_text("ann:guessed\n")
        empty.write_text("annabel:other\n")
        for server in servers:
            place = server.socket if server.socket.exists() else server.address
            shown = said("stats", f"ann@{place}")
            self.assertEqual((0, ""), (shown.returncode, shown.stderr))
            self.assertIn("auth_cmds", shown.stdout)
            for target, passwords, code, why in [(place, users, 1, "LEVERET_PASSWORD_FILE"), (f"ann@{place}", wrong, 1, "authentication failure"),
                                                 (f"ann@{place}", empty, 3, f"{empty} (LEVERET_PASSWORD_FILE) has no line ann:PASSWORD"),
                                                 (f"ann@{place}", self.folder / "none", 3, "there is no such file"), (f"ann@{place}", "", 2, "LEVERET_PASSWORD_FILE")]:
                refused = said("stats", target, passwords=passwords)
                self.assertEqual(code, refused.returncode, refused.stderr)
                self.assertIn(why, refused.stderr)
                shown.stderr += refused.stderr
            watcher = self.start([COMMAND, "watch", f"bob@{place}", "--json"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 env={**os.environ, "LEVERET_PASSWORD_FILE": str(users)})
            self.addCleanup(watcher.stdout.close)
            seen = said("settings", f"ann@{place}").stdout + said("stats", f"ann@{place}").stdout + shown.stdout + shown.stderr
            for process in (server.process, watcher):
                for shows in ("cmdline", "environ"):
                    with open(f"/proc/{process.pid}/{shows}") as file:
                        seen += file.read()
            server.errors.seek(0)
            seen += server.errors.read()
            self.assertNotIn(secret, seen)
            self.assertNotIn("guessed", seen)
        # It would keep the password as an item.
        for server in both(self, udp=False):
            refused = said("stats", f"ann@{server.address}")
            self.assertEqual((1, True), (refused.returncode, "asks for no password: leave ann@ out" in refused.stderr), refused.stderr)
            self.assertEqual("0", server.stat("curr_items"))

    def test_a_bad_file_of_users_is_told_before_the_terminal_is_let_go(self):
        """with -d -Y FILE the start fails visibly if FILE is invalid, and leaves nothing behind"""
        users, pidfile = self.folder / "users", self.folder / "pid"
        users.write_text("no colon\n")
        for missing in (str(users), str(self.folder / "none")):
            done = tool(COMMAND, "serve", "-d", "-u", "root", "-P", str(pidfile), "-s", str(self.folder / "socket"), "-Y", missing,
                        "--arena", str(self.arenas / "users.arena"))
            self.assertNotEqual(0, done.returncode)
            self.assertIn(missing, done.stderr)
            self.assertFalse(pidfile.exists())
            self.assertFalse((self.folder / "socket").exists())

    def test_statistics_count_php(self):
        """what PHP reads straight from memory counts in the server's statistics"""
        arena = self.arenas / "shared.arena"
        server = Server(self, "leveret", arena=arena)
        server.talk(b"set k 0 0 1\r\nx\r\n", end=b"STORED\r\n")
        code = f"$c = new Leveret\\Cache('{arena}'); for ($i = 0; $i < 1000; $i++) {{ assert($c->get('k') === 'x'); }}"
        self.assertEqual("", run([PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "zend.assertions=1", "-r", code]).stderr)
        self.assertGreaterEqual(int(server.stat("get_hits")), 1000)

    def test_connections_beyond_the_limit(self):
        """connections beyond -c harm no connected client, and are accepted when others leave"""
        server = Server(self, "leveret", "-c", "20")
        held = [server.connect() for _ in range(18)]
        flood = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(100)]
        held[0].sendall(b"version\r\n")
        self.assertEqual(b"VERSION 1.6.45\r\n", held[0].recv(100))
        for connection in flood:
            connection.close()
        for connection in held[1:]:
            connection.close()
        self.wait_for("a new connection", lambda: self.version_of(server))

    def test_connections_beyond_the_limit_of_tls(self):
        """a full server refuses a TLS client without TLS, as memcached does"""
        made = tool("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=full",
                    "-keyout", self.folder / "key", "-out", self.folder / "chain")
        self.assertEqual(0, made.returncode, made.stderr)
        for server in both(self, "-c", "20", "-Z", "-o", f"ssl_chain_cert={self.folder / 'chain'},ssl_key={self.folder / 'key'}", udp=False):
            flood = [server.connect() for _ in range(60)]
            self.assertEqual(b"ERROR Too many open connections\r\n", flood[-1].recv(100), server.kind)

    def version_of(self, server):
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
                connection.sendall(b"version\r\n")
                return connection.recv(100) == b"VERSION 1.6.45\r\n"
        except OSError:
            return False


def free_ports(count):
    """Free ports."""
    with contextlib.ExitStack() as stack:
        return [stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)]


def asks(place, said):
    """The answer at a port or a Unix socket; empty without a server."""
    with socket.socket(socket.AF_UNIX if isinstance(place, str) else socket.AF_INET) as connection:
        connection.settimeout(30)
        if connection.connect_ex(place) != 0:
            return b"nobody"
        connection.sendall(said + b"mn\r\n")
        heard = b""
        while not heard.endswith(b"MN\r\n"):
            heard += connection.recv(65536) or b"closed\r\nMN\r\n"
        return heard.removesuffix(b"MN\r\n")


if __name__ == "__main__":
    unittest.main()
