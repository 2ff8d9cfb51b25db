"""Debian's memcached and `leveret serve` for the tests: on loopback, on free ports, ended with their test."""

import os
import socket
import subprocess
import tempfile
from pathlib import Path

from support import COMMAND, ROOT

# The memcached that the server follows, where `./x test` could fetch it.
NEWER = next(ROOT.glob("build/memcached-*/memcached"), None)


class Server:
    """A running server, of either kind or `newer`, with TCP and UDP on free ports or a Unix socket."""

    def __init__(self, test, kind, *options, unix=False, arena=None, udp=True):
        self.test, self.kind = test, kind
        self.folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=test.folder))
        self.folder.chmod(0o755)
        self.socket = self.folder / "socket"
        self.arena = arena
        ports = self.folder / "ports"
        place = ["-s", str(self.socket)] if unix else ["-l", "127.0.0.1", "-p", "-1", *(["-U", "-1"] if udp else [])]
        if kind == "leveret":
            command = [str(COMMAND), "serve", "--arena", str(arena or self.folder / "cache.arena")]
        else:
            command = [str(NEWER) if kind == "newer" else "memcached"]
        command += ["-u", "root" if os.geteuid() == 0 else os.environ.get("USER", "nobody"), "-t", "2", *place, *options]
        environment = {**os.environ, "MEMCACHED_PORT_FILENAME": str(ports)}
        self.errors = open(self.folder / "errors", "w+")
        test.addCleanup(self.errors.close)
        self.launch = lambda: test.start(command, env=environment, stdout=self.errors, stderr=self.errors)
        self.process = self.launch()
        if unix:
            self.wait_for_socket()
        else:
            test.wait_for(f"the ports of {kind}", lambda: ports.exists() or self.has_ended())
            lines = dict(line.split(": ") for line in ports.read_text().splitlines())
            self.port = int(lines["TCP INET"])
            self.udp_port = int(lines.get("UDP INET", 0))

    def wait_for_socket(self):
        self.test.wait_for(f"the socket of {self.kind}", lambda: listens(self.socket) or self.has_ended())

    def revive(self):
        """After a kill: starts the same server again, on its Unix socket."""
        self.process = self.launch()
        self.wait_for_socket()

    def has_ended(self):
        if self.process.poll() is not None:
            self.errors.seek(0)
            self.test.fail(f"{self.kind} ended with {self.process.returncode}: {self.errors.read()}")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.test.addCleanup(connection.close)
        return connection

    def talk(self, said, end=b"END\r\n"):
        """One conversation over TCP, up to `end`."""
        connection = self.connect()
        connection.sendall(said)
        heard = b""
        while not heard.endswith(end):
            piece = connection.recv(65536)
            if not piece:
                break
            heard += piece
        return heard

    def stat(self, name):
        for line in self.talk(b"stats\r\n").decode().splitlines():
            if line.startswith(f"STAT {name} "):
                return line.split(" ", 2)[2]
        return None

    def kill(self, signal):
        self.process.send_signal(signal)
        return self.process.wait(60)


def listens(path):
    """Whether a server accepts connections there. The file exists a moment earlier."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def both(test, *options, **more):
    """The two servers, the original first."""
    return [Server(test, kind, *options, **more) for kind in ("memcached", "leveret")]


def tool(*words):
    """Runs a program to its end; the completed process, with any exit code."""
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
