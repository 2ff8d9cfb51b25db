"""redis-server and `leveret serve --redis` for the tests: on loopback, on free ports, ended with their test."""

import io
import os
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from servers import listens
from support import COMMAND

KINDS = ("redis", "leveret")

# The Redis whose replies ours are byte by byte: that of Debian 12. Newer ones have other texts and options.
FOLLOWED = "7.0."


def followed(test):
    """A test that compares byte by byte."""
    program = shutil.which("redis-server")
    version = program and subprocess.run([program, "--version"], capture_output=True, text=True).stdout.partition(" v=")[2].split()[0]
    return unittest.skipUnless(version and version.startswith(FOLLOWED), f"redis-server is {version}, not {FOLLOWED}x")(test)


class RedisServer:
    """A running server of either kind, on a free port or at a Unix socket. `options` are those that both take, the rest are the kind's own."""

    def __init__(self, test, kind, *options, unix=False, password=None, arena=None, memory=256):
        self.test, self.kind, self.password = test, kind, password
        self.folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=test.folder))
        self.folder.chmod(0o755)
        self.socket, self.port = (self.folder / "socket", None) if unix else (None, 0)
        self.arena = arena or self.folder / "cache.arena"
        command = self.redis() if kind == "redis" else self.leveret(memory)
        command += [*(["--requirepass", password] if password else []), *options]
        self.errors = open(self.folder / "errors", "w+")
        test.addCleanup(self.errors.close)
        ports = self.folder / "ports"
        environment = {**os.environ, "MEMCACHED_PORT_FILENAME": str(ports)}
        self.process = test.start(command, env=environment, stdout=self.errors, stderr=self.errors)
        if kind == "leveret" and not unix:
            test.wait_for("the port of leveret", lambda: ports.exists() or self.has_ended())
            self.port = int(re.search(r"^RESP INET: (\d+)$", ports.read_text(), re.MULTILINE)[1])
        test.wait_for(f"{kind} to take connections", lambda: self.takes_connections() or self.has_ended())

    def redis(self):
        """Without files: it saves nothing. It has no option for any free port."""
        if self.socket:
            place = ["--port", "0", "--unixsocket", str(self.socket)]
        else:
            self.port = free_port()
            place = ["--port", str(self.port), "--bind", "127.0.0.1"]
        return ["redis-server", *place, "--save", "", "--appendonly", "no", "--dir", str(self.folder)]

    def leveret(self, memory):
        user = "root" if os.geteuid() == 0 else os.environ.get("USER", "nobody")
        place = str(self.socket) if self.socket else "-1"
        return [str(COMMAND), "serve", "--arena", str(self.arena), "-m", str(memory), "-u", user, "-t", "2", "--redis", place]

    def takes_connections(self):
        if self.socket:
            return listens(self.socket)
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def has_ended(self):
        if self.process.poll() is not None:
            self.errors.seek(0)
            self.test.fail(f"{self.kind} ended with {self.process.returncode}: {self.errors.read()}")

    def connect(self):
        return Connection(self)

    def allow(self, user, *rules):
        """Makes or changes a user."""
        self.test.assertEqual("OK", self.connect()("ACL", "SETUSER", user, *rules))

    @property
    def url(self):
        word = f":{self.password}@" if self.password else ""
        return f"unix://{word}{self.socket}" if self.socket else f"redis://{word}127.0.0.1:{self.port}"


class ReplyReader:
    """Reads values out of replies. An error is a value too: a Refusal."""

    def __init__(self, file):
        self.file = file

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError(f"the connection ended behind {line!r}")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Refusal(rest.decode(errors="replace"))
        if kind == b":":
            return int(rest)
        if kind == b"_":
            return None
        if kind == b"#":
            return rest == b"t"
        if kind == b",":
            return float(rest)
        if kind in b"$=":
            return self.read_text(int(rest), len(b"txt:") if kind == b"=" else 0)
        if kind in b"*~>":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        raise ValueError(f"no reply: {line!r}")

    def read_text(self, length, front):
        if length < 0:
            return None
        text = self.file.read(length + 2)
        if len(text) != length + 2:
            raise ConnectionError("the connection ended inside of a value")
        return text[front:-2]


class Connection(ReplyReader):
    """One connection that speaks RESP: words in, values out."""

    def __init__(self, server):
        if server.socket:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(30)
            self.socket.connect(str(server.socket))
        else:
            self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        server.test.addCleanup(self.close)

    def close(self):
        self.file.close()
        self.socket.close()

    def __call__(self, *words):
        self.send(*words)
        return self.read()

    def send(self, *words):
        self.send_all([words])

    def send_all(self, commands):
        """Pipelined."""
        self.socket.sendall(b"".join(map(request, commands)))


def request(words):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def reply_end(data, begin):
    """Where the reply that begins there ends; -1: not within these bytes."""
    line = data.find(b"\r\n", begin)
    if line < 0:
        return -1
    kind, end = data[begin], line + 2
    if kind in b"+-:_#,(":
        return end
    count = int(data[begin + 1 : line])
    if kind in b"$=":
        end += count + 2 if count >= 0 else 0
        return end if end <= len(data) else -1
    if kind not in b"*~>%":
        raise ValueError(f"no reply: {bytes(data[begin : begin + 100])!r}")
    for _ in range(2 * count if kind == ord("%") else count):
        end = reply_end(data, end)
        if end < 0:
            return -1
    return end


class RawConnection:
    """One connection whose replies are the bytes that came."""

    def __init__(self, server):
        self.socket = Connection(server).socket
        self.data = b""

    def replies(self, count):
        found, begin = [], 0
        while len(found) < count:
            end = reply_end(self.data, begin) if begin < len(self.data) else -1
            if end < 0:
                more = self.socket.recv(1 << 20)
                if not more:
                    raise ConnectionError(f"the connection ended behind {self.data[begin:]!r}")
                self.data, begin = self.data[begin:] + more, 0
                continue
            found.append(self.data[begin:end])
            begin = end
        self.data = self.data[begin:]
        return found


def value_of(reply):
    """What the bytes of a reply mean."""
    return ReplyReader(io.BytesIO(reply)).read()


class Refusal(str):
    """The text of an error."""

    def __repr__(self):
        return f"Refusal({str(self)!r})"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def both(test, *options, **more):
    """The two servers, the original first."""
    return [RedisServer(test, kind, *options, **more) for kind in KINDS]
