#!/usr/bin/env python3
"""Takes rings.txt: where the clients that people use really put their keys.

Starts memcached servers at fixed places (a ring hashes the server's name), lets Debian's php-memcached, php-memcache and
ruby-dalli store the same keys in every mode, and looks on which server each key came to lie. Needs memcached, php-cli with both
extensions, ruby and the gem; ports 11211 (its own case in libmemcached), 21212, 31313, 41414 must be free.

    python3 observe.py > rings.txt

A line is: client, mode ('+' joins its options), servers, killed server or -, then one digit per key: the index of its server, or '.'
where the client gave up.
"""
import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
SOCKET = "/tmp/leveret-ring-vectors.sock"
KEYS = 300

# Name of the set, then host, port, weight of each server.
SERVERS = {
    "plain": [("127.0.0.1", 11211, 1), ("127.0.0.1", 21212, 1), ("localhost", 31313, 1), (SOCKET, 0, 1)],
    "weighted": [("127.0.0.1", 11211, 3), ("127.0.0.1", 21212, 1), ("localhost", 31313, 7), (SOCKET, 0, 2), ("127.0.0.1", 41414, 5)],
}

HASHES = ["default", "md5", "crc", "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32", "hsieh", "murmur", "jenkins"]
MODES = {
    "php-memcached": ["modula+" + name for name in HASHES]
    + ["consistent+" + name for name in HASHES]
    + ["compatible", "compatible+crc", "compatible+fnv1_32", "ketamahash+md5", "ketamahash+crc"],
    "php-memcache": ["consistent+crc32", "consistent+fnv", "standard+crc32", "standard+fnv"],
    "dalli": ["ring"],
}
WITH_A_DEAD_SERVER = {
    "php-memcached": ["modula+default+eject", "consistent+default+eject", "compatible+eject"],
    "php-memcache": ["consistent+crc32", "standard+fnv"],
    "dalli": ["ring"],
}


def keys():
    """Many lengths, and bytes above 127, which some hashes take as signed."""
    letters = "abcdefghijklmnopqrstuvwxyz:./-_ABCDEFGHIJKLMNOP"
    return [f"{i}{letters[: i % 43]}{'é€' if i % 7 == 0 else ''}".encode() for i in range(KEYS)]


class Server:
    def __init__(self, host, port):
        self.address = host if port == 0 else (host, port)
        self.family = socket.AF_UNIX if port == 0 else socket.AF_INET
        listen = ["-s", host] if port == 0 else ["-l", "127.0.0.1", "-p", str(port)]
        self.process = subprocess.Popen(["memcached", "-u", "nobody", "-U", "0", "-m", "8", *(["-a", "0777"] if port == 0 else []), *listen])

    def talk(self, text, end):
        with socket.socket(self.family) as peer:
            peer.connect(self.address)
            peer.sendall(text)
            answer = b""
            while not answer.endswith(end):
                answer += peer.recv(65536)
            return answer

    def wait(self):
        for _ in range(200):
            try:
                return self.talk(b"version\r\n", b"\r\n")
            except OSError:
                time.sleep(0.02)
        sys.exit(f"{self.address} does not start")

    def kept(self):
        answer = self.talk(b"".join(b"get %s\r\n" % key for key in keys()) + b"mn\r\n", b"MN\r\n")
        return {line.split()[1] for line in answer.split(b"\r\n") if line.startswith(b"VALUE ")}

    def stop(self):
        self.process.terminate()
        self.process.wait()


def place(client, mode, name, dead):
    """Runs the client over all keys and returns the line."""
    places = SERVERS[name]
    running = {i: Server(host, port) for i, (host, port, _) in enumerate(places) if i != dead}
    try:
        for server in running.values():
            server.wait()
        program = {
            "php-memcached": ["php", "-n", "-d", "extension=msgpack", "-d", "extension=igbinary", "-d", "extension=memcached", "observe.php"],
            "php-memcache": ["php", "-n", "-d", "extension=memcache", "observe.php"],
            "dalli": ["ruby", "observe.rb"],
        }[client]
        servers = [f"{host}|{port}|{weight}" for host, port, weight in places]
        done = subprocess.run([*program, client, mode, *servers], input=b"\n".join(keys()), cwd=HERE, stdout=subprocess.PIPE)
        if done.returncode == 3:
            print(f"{client} {mode}: not in this build", file=sys.stderr)
            return None
        done.check_returncode()
        kept = {i: server.kept() for i, server in running.items()}
        digits = ""
        for key in keys():
            found = [i for i in kept if key in kept[i]]
            assert len(found) <= 1, (client, mode, key, found)
            digits += str(found[0]) if found else "."
        return f"{client} {mode} {name} {'-' if dead is None else dead} {digits}"
    finally:
        for server in running.values():
            server.stop()
        if os.path.exists(SOCKET):
            os.unlink(SOCKET)


def main():
    versions = [
        subprocess.run(["dpkg-query", "-W", package], stdout=subprocess.PIPE, text=True).stdout.strip().replace("\t", " ")
        for package in ["memcached", "php8.2-memcached", "libmemcached11", "php8.2-memcache", "ruby-dalli"]
    ]
    print("# Taken by observe.py, which says what the lines mean, with " + ", ".join(versions))
    for name, places in SERVERS.items():
        print("servers", name, " ".join(f"{host}|{port}|{weight}" for host, port, weight in places))
    for client, modes in MODES.items():
        for mode in modes:
            for name in SERVERS:
                line = place(client, mode, name, None)
                if line:
                    print(line, flush=True)
    for client, modes in WITH_A_DEAD_SERVER.items():
        for mode in modes:
            for name in SERVERS:
                line = place(client, mode, name, 1)
                if line:
                    print(line, flush=True)


main()
