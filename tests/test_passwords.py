"""User names and passwords (SASL): our clients and the originals, on `leveret serve -S` and on Debian's memcached -S."""

import json
import os
import shutil
import socket
import subprocess
import threading
import unittest

from servers import Server, both, tool
from support import EXTENSION, PHP, SystemTest, run

ORIGINAL = {"memcached": ["-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", "extension=memcached.so"],
            "memcache": ["-d", "extension=memcache.so"]}

# Result codes of some calls after others; where a server has failed the next call says that it rests.
MEMCACHED = """
    [, $port, $user, $password] = $argv;
    $m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
    $said = [$m->setSaslAuthData($user, $password), $m->addServer('127.0.0.1', (int) $port)];
    foreach ([fn() => $m->set('k', 'v'), fn() => $m->get('k'), fn() => $m->increment('n', 1, 5), fn() => $m->getMulti(['k', 'none']), fn() => $m->delete('k')] as $call)
        $said[] = [$call(), $m->getResultCode(), $m->getResultMessage()];
    $m->quit();
    $said[] = [$m->set('after', 'v'), $m->getResultCode()];
    echo json_encode($said);"""

MEMCACHE = """
    [, $port, $user, $password] = $argv;
    ini_set('memcache.protocol', 'binary');
    $m = new MemcachePool; $m->setSaslAuthData($user, $password);
    $connected = @$m->connect('127.0.0.1', (int) $port);
    echo json_encode([@$m->set('k', 'v'), @$m->get('k'), @$m->increment('n', 1, 5), @$m->delete('k')]);"""


class Passwords(SystemTest):
    """Each connection begins with the password, as the originals' do."""

    def setUp(self):
        super().setUp()
        setter = shutil.which("saslpasswd2", path="/usr/sbin:/usr/bin:/sbin:/bin")
        if not setter:
            self.skipTest("sasl2-bin is not installed: it makes the file of passwords")
        self.folder.chmod(0o755)
        database, configuration = self.folder / "sasldb", self.folder / "sasl"
        done = subprocess.run([setter, "-p", "-f", str(database), "-c", "-a", "memcached", "tester"], input="secret\n", capture_output=True, text=True, timeout=60)
        self.assertEqual(0, done.returncode, done.stderr)
        configuration.mkdir()
        (configuration / "memcached.conf").write_text(f"mech_list: plain\npwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: {database}\n")
        os.environ["SASL_CONF_PATH"] = str(configuration)
        self.addCleanup(os.environ.pop, "SASL_CONF_PATH")
        self.passwords = self.folder / "passwords"
        self.passwords.write_text("tester:secret\n")
        self.passwords.chmod(0o600)
        os.environ["MEMCACHED_SASL_PWDB"] = str(self.passwords)
        self.addCleanup(os.environ.pop, "MEMCACHED_SASL_PWDB")
        self.guarded, self.ours = both(self, "-S", udp=False)

    def said(self, module, code, port, user="tester", password="secret", ours=True, arenas=None):
        """`module` may be several of ours."""
        options = (["-d", f"extension={EXTENSION}", "-d", f"leveret.provide={module}", "-d", f"leveret.dir={arenas or self.arenas}"]
                   if ours else ORIGINAL[module])
        done = run([PHP, "-n", *options, "-d", "display_errors=stderr", "-r", code, "--", str(port), user, password])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("secret", done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_memcached(self):
        """Memcached::setSaslAuthData lets in and is refused as the original's, and each new connection says it again"""
        for password, is_in in (("secret", True), ("wrong", False), ("", False)):
            want = self.said_clean("memcached", MEMCACHED, self.guarded, password, ours=False)
            self.assertEqual(is_in, want[2][0])
            self.assertEqual(want, self.said_clean("memcached", MEMCACHED, self.ours, password, ours=False), password)
            for server in (self.guarded, self.ours):
                got = self.said_clean("memcached", MEMCACHED, server, password)
                # quit() resets a server's back-off in libmemcached, not in ours.
                calls = len(want) if is_in else len(want) - 1
                self.assertEqual(want[:calls], got[:calls], (server.kind, password))

    def said_clean(self, module, code, server, password, ours=True):
        """The output for an empty cache."""
        self.said("memcached", """$m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->setSaslAuthData($argv[2], $argv[3]);
            $m->addServer('127.0.0.1', (int) $argv[1]); echo json_encode($m->flush());""", server.port)
        return self.said(module, code, server.port, password=password, ours=ours)

    def test_sasldb(self):
        """a sasldb of saslpasswd2 admits the users that memcached admits, with realms and changed passwords, for each way to name it"""
        setter, database = shutil.which("saslpasswd2", path="/usr/sbin:/usr/bin:/sbin:/bin"), self.folder / "sasldb"

        def change(name, password, *options):
            done = subprocess.run([setter, "-p", "-f", str(database), *options, name], input=f"{password}\n", capture_output=True, text=True, timeout=60)
            self.assertEqual(0, done.returncode, done.stderr)

        change("bob", "two:parts", "-c", "-u", "elsewhere.example")
        for number in range(120):
            change(f"user{number}", f"pw{number}", "-c", "-a", "memcached")
        del os.environ["MEMCACHED_SASL_PWDB"]
        self.addCleanup(os.environ.__setitem__, "MEMCACHED_SASL_PWDB", "")
        servers = [self.guarded, Server(self, "leveret", "-S", udp=False), Server(self, "leveret", "-S", "--sasl-pwdb", str(database), udp=False)]
        code = """$m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->setSaslAuthData($argv[2], $argv[3]);
            $m->addServer('127.0.0.1', (int) $argv[1]); echo json_encode([$m->set('k', 'v'), $m->getResultCode() === 0]);"""
        host = socket.gethostname()

        def compare():
            let_in = []
            for user, password in (("tester", "secret"), ("tester", "new"), ("tester", "wrong"), (f"tester@{host}", "secret"), ("tester@elsewhere.example", "secret"), ("bob", "two:parts"),
                                   ("bob@elsewhere.example", "two:parts"), ("bob@elsewhere.example", "two"), ("user7", "pw7"), ("user119", "pw119"), ("user119", "pw11"), ("nobody", "x")):
                want, *got = (self.said("memcached", code, server.port, user, password) for server in servers)
                self.assertEqual([want, want], got, (user, password))
                if want[0]:
                    let_in.append(user)
            return let_in

        self.assertLessEqual({"tester", "bob@elsewhere.example", "user7", "user119"}, set(compare()))
        # Read at each sign-in.
        change("user7", "other", "-a", "memcached")
        self.assertNotIn("user7", compare())
        change("user7", "other", "-d", "-a", "memcached")
        self.assertNotIn("user7", compare())

    def test_only_in_binary(self):
        """without OPT_BINARY_PROTOCOL it is refused with a warning, as by the original"""
        code = "echo json_encode([(new Memcached)->setSaslAuthData('u', 'p'), error_get_last()['message'], Memcached::HAVE_SASL]);"
        want = self.said("memcached", code, 1, ours=False)
        self.assertEqual(want, self.said("memcached", code, 1))
        self.assertFalse(want[0])

    def test_memcache(self):
        """MemcachePool::setSaslAuthData lets in and is refused as the original's, in the binary protocol"""
        for password in ("secret", "wrong"):
            want = self.said_clean("memcache", MEMCACHE, self.guarded, password, ours=False)
            self.assertEqual(want, self.said_clean("memcache", MEMCACHE, self.ours, password, ours=False), password)
            for server in (self.guarded, self.ours):
                self.assertEqual(want, self.said_clean("memcache", MEMCACHE, server, password), (server.kind, password))

    def test_sessions(self):
        """the session handler "memcached" signs in by memcached.sess_sasl_username and _password"""
        code = """ini_set('session.save_handler', 'memcached'); ini_set('session.save_path', "127.0.0.1:$argv[1]"); ini_set('session.use_cookies', 0);
            ini_set('session.cache_limiter', ''); session_id('visitor'); $began = @session_start(); $seen = $_SESSION['n'] ?? 0; $_SESSION['n'] = $seen + 1; @session_write_close();
            echo json_encode([$began, $seen]);"""
        def visit(password, server):
            done = run([PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "leveret.provide=memcached", "-d", f"leveret.dir={self.arenas}", "-d", "memcached.sess_sasl_username=tester",
                        "-d", f"memcached.sess_sasl_password={password}", "-r", code, "--", str(server.port)])
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)
            return json.loads(done.stdout)
        for server in (self.guarded, self.ours):
            self.assertEqual([True, 0], visit("secret", server))
            self.assertEqual([True, 1], visit("secret", server))
            self.assertFalse(visit("wrong", server)[0])

    def test_tools(self):
        """libmemcached's tools sign in by --username and --password, and are refused without"""
        for server in (self.guarded, self.ours):
            with self.subTest(server=server.kind):
                signed = ["--binary", f"--servers={server.address}", "--username=tester", "--password=secret"]
                value = self.folder / "value"
                value.write_text("of a tool")
                self.assertEqual(0, tool("memccp", *signed, value).returncode)
                self.assertEqual("of a tool", tool("memccat", *signed, "value").stdout.strip())
                self.assertRegex(tool("memcstat", *signed).stdout, r"(?m)^\s*auth_errors: 0$")
                self.assertNotIn("of a tool", tool("memccat", "--binary", f"--servers={server.address}", "value").stdout)

    def test_what_changes_in_the_file(self):
        """a user removed from the file of passwords, or added, is so at the next sign-in, without a signal to the server"""
        get = """$m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->setSaslAuthData($argv[2], $argv[3]);
            $m->addServer('127.0.0.1', (int) $argv[1]); $m->get('k'); echo json_encode($m->getResultCode());"""
        self.assertEqual(16, self.said("memcached", get, self.ours.port))
        self.passwords.write_text("other:secret\n")
        self.assertEqual(41, self.said("memcached", get, self.ours.port))
        self.assertEqual(16, self.said("memcached", get, self.ours.port, user="other"))

    def test_the_server_shows_no_password(self):
        """no password is in the server's output, nor in its memory (and so in a core file) after a sign-in, whole or in pieces"""
        secret = "kept-out-of-sight-6fJ"
        self.passwords.write_text(f"tester:{secret}\n")
        message = b"\0tester\0" + secret.encode()
        packet = b"\x80\x21\0\5\0\0\0\0" + (5 + len(message)).to_bytes(4, "big") + bytes(12) + b"PLAIN" + message
        connections = []
        for pieces in ([packet], [packet[:-4], packet[-4:]], [packet[:20], packet[20:40], packet[40:]]):
            connection = self.ours.connect()
            connections.append(connection)
            for number, piece in enumerate(pieces):
                connection.sendall(piece)
                if number + 1 < len(pieces):
                    self.wait_for("the server to read that piece", lambda: not unread(connection, self.ours.port))
            self.assertTrue(connection.recv(1000).endswith(b"Authenticated"))
        self.assertFalse(any(secret.encode() in region for region in memory_of(self.ours.process.pid)))
        self.assertNotIn(secret, self.told(connections[0]))
        self.ours.errors.seek(0)
        self.assertNotIn(secret, self.ours.errors.read())

    def told(self, connection):
        """All statistics and settings."""
        heard = b""
        for subject in (b"", b"settings"):
            connection.sendall(b"\x80\x10" + len(subject).to_bytes(2, "big") + bytes(4) + len(subject).to_bytes(4, "big") + bytes(12) + subject)
            while not heard.endswith(b"\x81\x10" + bytes(22)):
                heard += connection.recv(65536)
            heard += b" "
        self.assertIn(b"auth_enabled_sasl", heard)
        return heard.decode(errors="replace")

    def test_no_way_around(self):
        """a client with a password signs in: it does not bypass a server of this host through its arena"""
        server = Server(self, "leveret", arena=self.arenas / "served.arena", udp=False)
        told = self.said("memcached", MEMCACHED, server.port)
        # It takes no passwords: the original's UNKNOWN READ FAILURE, in words that say so.
        self.assertEqual([False, 40, "FAILED TO SEND AUTHENTICATION TO SERVER"], told[2])

    def test_no_way_past_the_server(self):
        """a client without a password does not bypass a server of this host through its arena, unless the server has --announce"""
        code = """ini_set('memcache.protocol', 'binary'); $m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->addServer('127.0.0.1', (int) $argv[1]);
            $n = new MemcachePool; @$n->connect('127.0.0.1', (int) $argv[1]);
            echo json_encode([$m->set('k', 'v'), $m->getResultCode(), @$n->set('k', 'v'), @$n->get('k')]);"""
        for options, want in ((["-S"], [False, 41, False, False]), (["-S", "--announce"], [True, 0, True, "v"])):
            with self.subTest(options=options):
                server = Server(self, "leveret", *options, arena=self.arenas / f"{len(options)}.arena", udp=False)
                self.assertEqual(want, self.said("memcached,memcache", code, server.port))

    def test_password_stays_hidden(self):
        """nothing that PHP shows of a client or of the module has the password in it"""
        code = """$m = new Memcached('kept'); $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->setSaslAuthData($argv[2], $argv[3]); $m->addServer('127.0.0.1', (int) $argv[1]);
            $m->set('k', 1); ob_start(); var_dump($m); var_export($m->getServerList()); print_r((array) $m); phpinfo(INFO_MODULES); $shown = ob_get_clean();
            echo json_encode([$m->getResultCode(), str_contains($shown, $argv[3]), str_contains($shown, 'SASL support')]);"""
        self.assertEqual([0, False, True], self.said("memcached", code, self.guarded.port))

    def test_a_server_that_hangs(self):
        """a server that never answers a sign-in is given up in time, and gets nothing else"""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        heard = []

        def listen():
            connection, _ = listener.accept()
            with connection:
                while piece := connection.recv(65536):
                    heard.append(piece)

        thread = threading.Thread(target=listen)
        thread.start()
        code = """$m = new Memcached; $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $m->setOption(Memcached::OPT_CONNECT_TIMEOUT, 200); $m->setSaslAuthData($argv[2], $argv[3]);
            $m->addServer('127.0.0.1', (int) $argv[1]); echo json_encode([$m->set('key', 'value'), $m->getResultCode()]);"""
        self.assertEqual([False, 31], self.said("memcached", code, listener.getsockname()[1]))
        thread.join()
        self.assertEqual(b"PLAIN\0tester\0secret", b"".join(heard)[24:])


def unread(connection, port):
    """Whether the server's end of a connection still holds bytes that it has not received."""
    mine, theirs = f":{connection.getsockname()[1]:04X}", f":{port:04X}"
    for line in open("/proc/net/tcp").read().splitlines()[1:]:
        words = line.split()
        if words[1].endswith(theirs) and words[2].endswith(mine):
            return not words[4].endswith(":00000000")
    return False


def memory_of(pid):
    """The writable memory of a process."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights, *_ = line.split()
            begin, end = (int(part, 16) for part in span.split("-"))
            # An arena is no core file's: it is shared.
            if rights.startswith("rw-p"):
                memory.seek(begin)
                try:
                    yield memory.read(end - begin)
                except OSError:
                    pass


if __name__ == "__main__":
    unittest.main()
