"""Addresses of `-l` with notls, btls and mtls: which clients are accepted, beside memcached 1.6.45."""

import itertools
import socket
import ssl
import subprocess
import unittest

from servers import NEWER
from support import COMMAND, SystemTest, run

WORDS = ("notls:", "btls:", "mtls:", "")
PATIENCE = 30
# memcached says nothing to a client that speaks without TLS where it must, and keeps the connection.
SILENCE = 1


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listening.getsockname()[1] for listening in sockets]
    for listening in sockets:
        listening.close()
    return ports


class Listeners(SystemTest):
    """Each client at each kind of address, with each ssl_verify_mode."""

    def setUp(self):
        super().setUp()
        for authority in ("ours", "other"):
            self.certificate(authority, "basicConstraints=critical,CA:TRUE")
            signed = ("-CA", self.folder / f"{authority}.pem", "-CAkey", self.folder / f"{authority}.key")
            for name in ("server", "client"):
                self.certificate(f"{authority}-{name}", "basicConstraints=CA:FALSE", *signed)

    def certificate(self, name, constraint, *signed):
        paper = self.folder / name
        done = run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}", "-addext",
                    constraint, "-keyout", f"{paper}.key", "-out", f"{paper}.pem", *map(str, signed)])
        self.assertEqual(0, done.returncode, done.stderr)

    def client(self, authority):
        """A client that knows the server's authority, with a certificate of another or the same one, or without."""
        context = ssl.create_default_context(cafile=self.folder / "ours.pem")
        context.check_hostname = False
        if authority:
            paper = self.folder / f"{authority}-client"
            context.load_cert_chain(f"{paper}.pem", f"{paper}.key")
        return context

    def answer(self, port, context, patience=PATIENCE):
        """The answer to a client; empty if it is refused."""
        try:
            with socket.create_connection(("127.0.0.1", port), patience) as plain:
                with context.wrap_socket(plain) if context else plain as client:
                    client.sendall(b"mn\r\n")
                    return client.recv(100).decode()
        except OSError:
            return ""

    def who_is_let_in(self, program, mode):
        ports = free_ports(len(WORDS))
        addresses = ",".join(f"{word}127.0.0.1:{port}" for word, port in zip(WORDS, ports))
        papers = f"ssl_chain_cert={self.folder}/ours-server.pem,ssl_key={self.folder}/ours-server.key,ssl_ca_cert={self.folder}/ours.pem,ssl_verify_mode={mode}"
        server = self.start([*map(str, program), "-u", "root", "-U", "0", "-Z", "-o", papers, "-l", addresses], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_for(f"{program}", lambda: self.answer(ports[0], None) or server.poll() is not None)
            clients = {"plain": None, "without a certificate": self.client(""), "ours": self.client("ours"), "another authority's": self.client("other")}
            said = {}
            for (word, port), (who, context) in itertools.product(zip(WORDS, ports), clients.items()):
                patience = PATIENCE if context or word == "notls:" else SILENCE
                said[f"{word or 'no word'} {who}"] = self.answer(port, context, patience)
            return said
        finally:
            # memcached waits in the handshakes that it was not offered.
            server.kill()
            server.wait()

    def ours(self, mode):
        return self.who_is_let_in([COMMAND, "serve", "--dir", self.folder, "--arena", "tls", "--fresh"], mode)

    def test_each_client_at_each_address(self):
        """mtls accepts clients with a certificate of the authority, btls clients with TLS, and notls clients without"""
        for mode in (0, 1, 2, 3):
            said = self.ours(mode)
            in_plain = {key for key, answer in said.items() if answer}
            want = {"notls: plain"} | {f"btls: {who}" for who in ("without a certificate", "ours", "another authority's")} | {"mtls: ours", "no word ours"}
            if mode in (0, 1):
                want.add("no word without a certificate")
            if mode == 0:
                want.add("no word another authority's")
            self.assertEqual(want, in_plain, mode)

    @unittest.skipUnless(NEWER, "memcached 1.6.45 is not unpacked here")
    def test_beside_memcached(self):
        """memcached 1.6.45 lets in the same clients"""
        for mode in (0, 1, 2, 3):
            self.assertEqual(self.who_is_let_in([NEWER], mode), self.ours(mode), mode)


if __name__ == "__main__":
    unittest.main()
