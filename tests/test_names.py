"""Names of servers: those with several addresses of which the first is dead, and a name server that is slow or silent."""

import contextlib
import json
import shutil
import socket
import struct
import subprocess
import threading
import unittest
from pathlib import Path

from servers import Server
from support import AM_ROOT, SystemTest, original_of, run

# Each process has its own mounts: other processes do not see these files.
MOUNTED = 'for file in hosts resolv.conf nsswitch.conf; do mount --bind "$1/$file" "$(readlink -f /etc/$file)"; done; shift; exec "$@"'

GET = """<?php
    $m = new Memcached;
    $m->setOption(Memcached::OPT_CONNECT_TIMEOUT, 300);
    $m->addServer($argv[1], (int) $argv[2]);
    $m->set('key', 'value');
    echo json_encode([$m->get('key'), $m->getResultCode()]);"""

# As requests are: each with an object of its own, and in it several tries.
REQUESTS = """<?php
    for ($request = 0; $request < 4; $request++) {
        $m = new Memcached;
        $m->setOption(Memcached::OPT_RETRY_TIMEOUT, 0);
        $m->addServer($argv[1], (int) $argv[2]);
        for ($try = 0; $try < 2; $try++) {
            $m->get('key');
            $codes[] = $m->getResultCode();
        }
    }
    echo json_encode($codes);"""


@contextlib.contextmanager
def dead(address):
    """The port of a listener whose queue is full: a client that connects gets no answer, as from a host that is down."""
    with contextlib.ExitStack() as open_sockets:
        listener = open_sockets.enter_context(socket.socket())
        listener.bind((address, 0))
        listener.listen(0)
        for _ in range(8):
            client = open_sockets.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def answers(address, port):
    try:
        socket.create_connection((address, port), 1).close()
        return True
    except OSError:
        return False


class NameServer:
    """Counts requests by name; `answer` is the delay and the address, None never answers."""

    def __init__(self, test, address, answer=None, wait=0.0):
        self.asked, self.answer, self.wait = [], answer, wait
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 53))
        self.socket.settimeout(0.05)  # before it is waited for
        self.ended = threading.Event()
        thread = threading.Thread(target=self.serve)
        thread.start()
        test.addCleanup(self.socket.close)
        test.addCleanup(thread.join)
        test.addCleanup(self.ended.set)

    def serve(self):
        while not self.ended.is_set():
            try:
                question, peer = self.socket.recvfrom(512)
            except TimeoutError:
                continue
            end = question.index(b"\0", 12) + 1
            (kind,) = struct.unpack_from(">H", question, end)
            is_address = kind == 1
            if is_address:
                self.asked.append(question[12:end])
            if self.answer is None or self.ended.wait(self.wait if is_address else 0):
                continue
            record = struct.pack(">HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(self.answer)
            header = question[:2] + struct.pack(">HHHHH", 0x8180, 1, int(is_address), 0, 0)
            self.socket.sendto(header + question[12 : end + 4] + record * is_address, peer)


@unittest.skipUnless(AM_ROOT and shutil.which("unshare"), "only root can have files in /etc of its own")
class Names(SystemTest):
    def alone(self, command, hosts="", name_server="127.0.0.1"):
        """Runs with these names, and no others."""
        etc = Path(self.folder / "etc")
        etc.mkdir(exist_ok=True)
        (etc / "hosts").write_text(hosts)
        (etc / "resolv.conf").write_text(f"nameserver {name_server}\noptions timeout:1 attempts:1\n")
        (etc / "nsswitch.conf").write_text("hosts: files dns\n")
        done = run(["unshare", "--mount", "--propagation", "private", "sh", "-euc", MOUNTED, "sh", str(etc), *command])
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        return json.loads(done.stdout)

    def ours(self, **ini):
        return super().ours(leveret__provide="memcached", **ini)

    def test_the_next_address(self):
        """where one address of a name is dead the next one is tried after the connect time-out, as pecl/memcached does"""
        # Resolvers name the address first that is more like the host's own.
        with dead("127.0.0.1") as port:
            self.start(["memcached", "-u", "root", "-t", "1", "-l", "127.0.0.2", "-p", str(port)], stderr=subprocess.DEVNULL)
            self.wait_for("memcached", lambda: answers("127.0.0.2", port))
            for provider in (original_of("memcached"), self.ours()):
                get = lambda name, hosts: self.alone(self.php_command(GET, name, port, provider=provider), hosts)
                self.assertEqual(["value", 0], get("twin", "127.0.0.1 twin\n127.0.0.2 twin\n"), provider.name)
                self.assertIs(False, get("single", "127.0.0.1 single\n")[0], "that address is not dead")

    def test_a_silent_name_server(self):
        """a name server that never answers is asked once, not again for each request and retry"""
        name_server = NameServer(self, "127.0.53.1")
        codes = self.alone(self.php_command(REQUESTS, "cache.example", 11211, provider=self.ours()), name_server="127.0.53.1")
        self.assertEqual([2] * 8, codes)
        self.assertEqual(1, len(name_server.asked), name_server.asked)

    def test_a_slow_name_server(self):
        """a slow name server is asked once by many requests of a process, and its answer is used by all"""
        port = int(Server(self, "memcached", udp=False).address.split(":")[1])
        name_server = NameServer(self, "127.0.53.1", answer="127.0.0.1", wait=0.5)
        codes = self.alone(self.php_command(REQUESTS, "cache.example", port, provider=self.ours()), name_server="127.0.53.1")
        self.assertEqual([16] * 8, codes)
        self.assertEqual(1, len(name_server.asked), name_server.asked)


if __name__ == "__main__":
    unittest.main()
