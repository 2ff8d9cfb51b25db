"""`leveret serve` with systemd, collectors of logs, and changes of its configuration."""

import json
import os
import shutil
import signal
import socket
import subprocess
import unittest

from servers import Server, tool
from support import COMMAND, SystemTest

SETTINGS = 'verbose = 0\nconn-limit = 100\nthreads = 2\n[extended]\nidle_timeout = 0\n'


class Service(SystemTest):
    def said(self, server):
        """All that the server has written to standard error."""
        return (server.folder / "errors").read_text()

    def hang_up(self, server, until):
        """SIGHUP, and the lines that follow it, once `until` is among them."""
        before = len(self.said(server))
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(f"'{until}' in the log", lambda: until in self.said(server)[before:])
        return self.said(server)[before:]

    def settings(self, server):
        lines = server.talk(b"stats settings\r\n").decode().splitlines()
        return dict(line.split(" ", 2)[1:] for line in lines if line.startswith("STAT "))

    def test_sighup_reads_the_settings_anew(self):
        """SIGHUP: what can change does, what cannot is named, and a file that is wrong changes nothing"""
        file = self.folder / "leveret.toml"
        file.write_text(SETTINGS)
        server = Server(self, "leveret", "--config", str(file))
        held = server.connect()
        file.write_text('verbose = 1\nconn-limit = 150\ndisable-flush-all = true\nmax-reqs-per-event = 7\nmemory-limit = 128\n[extended]\nidle_timeout = 900\n')
        said = self.hang_up(server, "cannot change")
        self.assertIn("leveret: SIGHUP: changed from now on: --conn-limit, --disable-flush-all, --extended, --max-reqs-per-event, --verbose\n", said)
        self.assertIn("leveret: SIGHUP: cannot change while the server runs, restart it: --memory-limit\n", said)
        now = self.settings(server)
        self.assertEqual(("150", "900", "7", "1", "no"), tuple(now[name] for name in ("maxconns", "idle_timeout", "reqs_per_event", "verbosity", "flush_enabled")))
        held.sendall(b"flush_all\r\n")
        self.assertEqual(b"CLIENT_ERROR flush_all not allowed\r\n", held.recv(100))
        for wrong, named in (("conn-limit = 'many'\n", "many"), ("prot = 1\n", "there is no option 'prot'"), ("threads = 2\nport =\n", "line 2")):
            file.write_text(wrong)
            said = self.hang_up(server, "all settings stay")
            self.assertIn(named, said)
            self.assertIn(str(file), said)
            self.assertEqual(now, self.settings(server))
        file.unlink()
        self.assertIn(str(file), self.hang_up(server, "all settings stay"))
        self.assertEqual(now, self.settings(server))
        file.write_text(SETTINGS)
        self.hang_up(server, "changed from now on")
        self.assertEqual("100", self.settings(server)["maxconns"])
        held.sendall(b"flush_all\r\n")
        self.assertEqual(b"OK\r\n", held.recv(100))

    def test_sighup_reads_certificates_anew(self):
        """SIGHUP: new certificates are used from then on; those that do not do are named, and the old ones stay"""
        for name in ("one", "two"):
            made = tool("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                        "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem")
            self.assertEqual(0, made.returncode, made.stderr)
        file = self.folder / "leveret.toml"

        def write(chain, key):
            file.write_text(f"enable-ssl = true\nverbose = 1\n[extended]\nssl_chain_cert = '{self.folder / chain}'\nssl_key = '{self.folder / key}'\n")

        def shown():
            client = subprocess.run(["openssl", "s_client", "-connect", server.address], input="quit\n", capture_output=True, text=True, timeout=60)
            return next(line for line in client.stdout.splitlines() if line.startswith("subject="))

        write("one.pem", "one.key")
        server = Server(self, "leveret", "--config", str(file), udp=False)
        self.assertIn("one", shown())
        write("two.pem", "two.key")
        self.hang_up(server, "changed from now on: --extended")
        self.wait_for("the new certificate", lambda: "two" in shown())
        for chain, key, why in (("none.pem", "two.key", "none.pem"), ("two.pem", "one.key", "does not belong"), ("leveret.toml", "two.key", "no certificate")):
            write(chain, key)
            self.assertIn(why, self.hang_up(server, "what was read before stays in use"))
            self.assertIn("two", shown())

    def test_log_of_json(self):
        """with --log-format json each line is an object, also that of a start that fails"""
        server = Server(self, "leveret", "--log-format", "json", "-vv", "-f", "1.25")
        server.talk(b"get k\r\n")
        server.kill(signal.SIGTERM)
        lines = [json.loads(line) for line in self.said(server).splitlines()]
        self.assertIn(("warning", "accepted without effect, since an arena tunes itself: -f"), [(line["level"], line["message"]) for line in lines])
        self.assertIn("debug", [line["level"] for line in lines])
        self.assertTrue(all(1.7e9 < line["ts"] < 1e10 for line in lines))
        done = tool(COMMAND, "serve", "--log-format", "json", "-u", "root", "-p", "-1", "--arena", self.arenas / "x.arena", "-Y", self.folder / "none")
        self.assertEqual(2, done.returncode)
        line = json.loads(done.stderr)
        self.assertEqual("error", line["level"])
        self.assertIn(str(self.folder / "none"), line["message"])
        self.assertEqual(2, tool(COMMAND, "serve", "--log-format", "xml").returncode)

    def test_systemd_hears_that_it_is_ready_and_lives(self):
        """READY=1 once it listens, WATCHDOG=1 again and again while all workers answer, STOPPING=1 at its end"""
        path = self.folder / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(str(path))
            notify.settimeout(60)
            user = "root" if os.geteuid() == 0 else os.environ["USER"]
            environment = {**os.environ, "NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "3000000"}
            command = [str(COMMAND), "serve", "-u", user, "-s", str(self.folder / "socket"), "--arena", str(self.arenas / "w.arena")]
            process = self.start(command, env=environment)
            self.assertEqual([b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"], [notify.recv(100) for _ in range(3)])
            process.send_signal(signal.SIGTERM)
            heard = b"WATCHDOG=1"
            while heard == b"WATCHDOG=1":
                heard = notify.recv(100)
            self.assertEqual(b"STOPPING=1", heard)

    @unittest.skipUnless(shutil.which("systemd-socket-activate"), "this machine has no systemd")
    def test_sockets_of_systemd(self):
        """systemd opens the sockets: for the cache by TCP and by a Unix socket, and for metrics; the options' own are not used"""
        port, metrics, path = free_port(), free_port(), self.folder / "passed"
        user = "root" if os.geteuid() == 0 else os.environ["USER"]
        command = ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", "-l", str(path), "-l", f"127.0.0.1:{metrics}", "--fdname=memcached:memcached:metrics",
                   str(COMMAND), "serve", "-u", user, "-p", str(free_port()), "--arena", str(self.arenas / "s.arena")]
        self.start(command, stderr=subprocess.DEVNULL)
        self.wait_for("an answer", lambda: asks(socket.AF_INET, ("127.0.0.1", port), b"mn\r\n") == b"MN\r\n")
        self.assertEqual(b"MN\r\n", asks(socket.AF_UNIX, str(path), b"mn\r\n"))
        self.assertIn(b"memcached_up{arena=\"s\"} 1", asks(socket.AF_INET, ("127.0.0.1", metrics), b"GET /metrics HTTP/1.0\r\n\r\n"))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def asks(family, place, said):
    """The whole answer there, or the first line of a server that continues."""
    with socket.socket(family) as connection:
        connection.settimeout(60)
        if connection.connect_ex(place):
            return b""
        connection.sendall(said)
        heard = b""
        while not heard.endswith(b"MN\r\n"):
            piece = connection.recv(65536)
            if not piece:
                break
            heard += piece
        return heard


if __name__ == "__main__":
    unittest.main()
