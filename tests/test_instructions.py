"""The regression gate of whole requests: instructions, which repeat where nanoseconds on a shared machine do not, and the source
files whose code runs for each request. A limit of instructions is what was measured plus a tenth; lower it when the code gets leaner,
and raise it only with a reason. The files stand in ARCHITECTURE.md.

LEVERET_WRITE_FILES=1 ./x test system instructions writes them there."""

import os
import re
import socket
import subprocess
from collections import Counter

from support import EXTENSION, PHP, ROOT, SystemTest
from redis_servers import RedisServer
from servers import Server

MAP = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- files of a request: begin -->\n", "<!-- files of a request: end -->"
CALLGRIND = ["valgrind", "--tool=callgrind", "--dump-line=yes", "--compress-strings=no", "--compress-pos=no"]
# Calls of the shorter run.
TIMES = 1000

VALUE = b"0123456789"
GETQ = b"\x80\x09\0\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\0key1" + b"\x80\x0a" + bytes(22)
# Request, what its answer ends with, most instructions with the socket's system calls.
SOCKET = {
    "get": (b"get key1\r\n", b"END\r\n", 2690),
    "set": (b"set key1 5 0 10\r\n" + VALUE + b"\r\n", b"STORED\r\n", 3230),
    "mg v t f c": (b"mg key1 v t f c\r\n", VALUE + b"\r\n", 4320),
    "getq, noop": (GETQ, b"\x81\x0a" + bytes(22), 3170),
}
# Setup, counted calls, limit of the extension's instructions.
IN_PHP = {
    "apcu_fetch": ("apcu_store('key1', '0123456789');", "apcu_fetch('key1')", 680),
    "apcu_store": ("", "apcu_store('key1', '0123456789')", 1340),
    "Memcached::get, arena": ("$m = new Memcached; $m->addServer('arena:gate', 0); $m->set('key1', '0123456789');", "$m->get('key1')", 800),
    "Memcached::set, arena": ("$m = new Memcached; $m->addServer('arena:gate', 0);", "$m->set('key1', '0123456789')", 1630),
    # Redis::get must take at most 1.5 times as many as apcu_fetch.
    "Redis::get, arena": ("$r = new Redis; $r->connect('127.0.0.1', REDIS); $r->set('key1', '0123456789');", "$r->get('key1')", 790),
    "Redis::set, arena": ("$r = new Redis; $r->connect('127.0.0.1', REDIS);", "$r->set('key1', '0123456789')", 3530),
    "Leveret\\Cache::set": ("$c = new Leveret\\Cache('gate');", "$c->set('key1', '0123456789')", 1410),
    "getMulti of 30 keys, 3 servers": ("$m = new Memcached; $k = []; for ($i = 0; $i < 30; $i++) $k[] = \"key$i\"; $m->addServers(SERVERS);"
                                       " foreach ($k as $key) $m->set($key, '0123456789');", "$m->getMulti($k)", 45950),
}


def counts(path, within=None):
    """Instructions by source file, of the object `within` alone; inlined lines count for the file that they come from. None: those of
    no line, which the compiler has added, such as drops; callgrind names any file that shares their code."""
    found, file, is_call, is_within = Counter(), None, False, within is None
    for line in path.read_text().splitlines():
        if line.startswith("ob="):
            is_within = within is None or line.endswith(within)
        elif line[:3] in ("fl=", "fi=", "fe="):
            file = line[3:]
        elif line.startswith("calls="):
            is_call = True  # The next line is what the called function took, which is counted there.
        elif line[:1].isdigit():
            if not is_call and is_within:
                number, cost = line.split()[:2]
                found[file if number != "0" else None] += int(cost)
            is_call = False
    return found


def is_ours(file):
    return file is not None and ("/crates/leveret-" in file or file.startswith("crates/leveret-") or "/php-src/" in file)


class Instructions(SystemTest):
    def test_gate(self):
        """Requests over a socket and calls of PHP take no more instructions and files than before"""
        measured = {f"socket: {name}": (self.over_socket(*case[:2]), case[2]) for name, case in SOCKET.items()}
        measured |= {f"PHP: {name}": (self.in_php(*case[:2]), case[2]) for name, case in IN_PHP.items()}
        table, over = "| request | files | of these above the engine |\n|---|---|---|\n", []
        before, rest = MAP.read_text().split(BEGIN)
        written, behind = rest.split(END)
        known = {name: int(count) for name, count in re.findall(r"^\| (.+?) \| ([0-9]+) \|", written, re.M)}
        for name, ((less, more), limit) in measured.items():
            each = {file: (more[file] - less[file]) / TIMES for file in more}
            instructions = int(sum(each.values()))
            files = sorted(file for file in each if each[file] >= 1 and is_ours(file))
            above = [file for file in files if "/leveret-engine/" not in f"/{file}"]
            print(f"# {name}: {instructions} instructions, {len(files)} files, {len(above)} above the engine")
            if os.environ.get("LEVERET_SHOW_FILES"):
                print(*(f"#     {each[file]:8.0f}  {file}" for file in files), sep="\n")
            table += f"| {name} | {len(files)} | {len(above)} |\n"
            if instructions > limit:
                over.append(f"{name} takes {instructions} instructions, more than {limit}")
            # Another compiler draws in other lines.
            if len(files) > known.get(name, 0) * 1.1 and not os.environ.get("LEVERET_WRITE_FILES"):
                over.append(f"{name} passes {len(files)} files, and ARCHITECTURE.md says {known.get(name)}: {files}")
        if os.environ.get("LEVERET_WRITE_FILES"):
            MAP.write_text(before + BEGIN + table + END + behind)
        self.assertEqual([], over)

    def twice(self, run):
        """What TIMES calls cost, and what twice as many do: the difference leaves out start and end of the process."""
        return run(TIMES), run(2 * TIMES)

    def over_socket(self, request, end):
        def run(times):
            folder = self.folder / f"gate-{len(list(self.folder.iterdir()))}"
            folder.mkdir()
            place, out = folder / "socket", folder / "counts"
            command = [*CALLGRIND, f"--callgrind-out-file={out}", str(ROOT / "build" / "leveret"), "serve", "-t", "1",
                       "-u", "root" if os.geteuid() == 0 else os.environ.get("USER", "nobody"), "-s", str(place), "--arena", str(folder / "gate.arena")]
            server = self.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_for("the server's socket", place.exists)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(60)
                self.wait_for("the server", lambda: connection.connect_ex(str(place)) == 0)
                say(connection, b"set key1 5 0 10\r\n" + VALUE + b"\r\n", b"STORED\r\n")
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(60)
                connection.connect(str(place))
                for _ in range(times):
                    say(connection, request, end)
            server.terminate()
            self.assertEqual(server.wait(60), 0)
            return counts(out)
        return self.twice(run)

    def in_php(self, before, call):
        servers = "[]"
        if "SERVERS" in before:
            running = [Server(self, "leveret") for _ in range(3)]
            servers = "[" + ", ".join(f"['127.0.0.1', {server.port}]" for server in running) + "]"

        redis = RedisServer(self, "leveret", arena=self.folder / f"redis{len(list(self.folder.iterdir()))}.arena") if "REDIS" in before else None

        def run(times):
            out = self.folder / "counts"
            script = before.replace("SERVERS", servers).replace("REDIS", str(redis and redis.port)) + f" $ok = true; for ($n = 0; $n < {times}; $n++) $ok = {call} && $ok; var_dump($ok);"
            where = {**os.environ, "LEVERET_DIR": str(self.folder), "ZEND_DONT_UNLOAD_MODULES": "1"}
            said = subprocess.run([*CALLGRIND, f"--callgrind-out-file={out}", PHP, "-n", "-d", f"extension={EXTENSION}", "-d", "apc.enable_cli=1",
                                   "-d", "leveret.provide=apcu,memcached,redis",
                                   "-r", script], env=where, capture_output=True, text=True, timeout=120)
            self.assertEqual(said.stdout.strip(), "bool(true)", said.stderr[-2000:])
            return counts(out, "/leveret.so")
        return self.twice(run)


def say(connection, request, end):
    connection.sendall(request)
    heard = b""
    while not heard.endswith(end):
        piece = connection.recv(65536)
        if not piece:
            raise AssertionError(f"the server closed after {heard!r}")
        heard += piece
