"""The command's TARGETs by TLS: accepted servers, messages for refused ones, and large values."""

import json
import os
import subprocess

from servers import Server, both, tool
from support import COMMAND, SystemTest


class TlsTargets(SystemTest):
    def certificate(self, name, *options):
        """A certificate of its own for localhost; gives chain and key."""
        chain, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        made = tool("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=cache",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
                    *options, "-keyout", key, "-out", chain)
        self.assertEqual(0, made.returncode, made.stderr)
        return chain, key

    def encrypted(self, name):
        chain, key = self.certificate(name)
        server = Server(self, "leveret", "-Z", "-o", f"ssl_chain_cert={chain},ssl_key={key}", udp=False)
        return chain, f"tls://127.0.0.1:{server.port}"

    def run_tool(self, *words, **environment):
        return tool("env", *(f"{name}={value}" for name, value in environment.items()), COMMAND, *words)

    def test_commands_by_tls(self):
        """every kind of command speaks to a server by TLS whose certificate is believed, values of any length among it"""
        chain, target = self.encrypted("believed")
        asked = lambda *words: self.run_tool(*words, LEVERET_TLS_CA_FILE=chain)
        self.assertEqual(0, asked("ping", target).returncode)
        dump = self.folder / "dump"
        plain = Server(self, "leveret", udp=False)
        value = b"x" * 300_000
        plain.talk(b"set large 5 0 300000\r\n" + value + b"\r\nset small 0 0 1\r\n1\r\n", end=2 * b"STORED\r\n")
        with dump.open("wb") as lines:
            subprocess.run([COMMAND, "dump", plain.address], stdout=lines, timeout=60, check=True)
        with dump.open("rb") as lines:
            restored = subprocess.run([COMMAND, "restore", target], stdin=lines, env={**os.environ, "LEVERET_TLS_CA_FILE": str(chain)}, timeout=60)
        self.assertEqual(0, restored.returncode)
        self.assertEqual(sorted(dump.read_text().split()), sorted(asked("dump", target).stdout.split()))
        stats = asked("stats", target)
        self.assertRegex(stats.stdout, r"curr_items +2\b")
        told = json.loads(asked("top", "--once", "--json", "--interval", "100ms", target).stdout)
        self.assertEqual([(target, None, 2)], [(row["target"], row["error"], row["items"]) for row in told["targets"]])

    def test_who_is_not_believed(self):
        """an unknown certificate and another host's are refused with the reason; LEVERET_TLS_VERIFY=0 believes anybody"""
        chain, target = self.encrypted("unknown")
        port = target.rpartition(":")[2]
        for environment, said in [
            ({}, "UnknownIssuer"),
            ({"LEVERET_TLS_CA_FILE": chain, "LEVERET_TLS_PEER_NAME": "example.org"}, "example.org"),
            ({"LEVERET_TLS_CA_FILE": self.folder / "missing.pem"}, "missing.pem: there is no such file"),
            ({"LEVERET_TLS_CA_FILE": self.folder / "unknown.key"}, "no certificate in it"),
        ]:
            refused = self.run_tool("ping", target, **environment)
            self.assertEqual(3, refused.returncode, refused.stderr)
            self.assertIn(said, refused.stderr)
            self.assertIn(target, refused.stderr)
            self.assertIn("LEVERET_TLS_CA_FILE", refused.stderr)
            self.assertEqual(1, len(refused.stderr.splitlines()), refused.stderr)
        for environment in ({"LEVERET_TLS_VERIFY": "0"}, {"LEVERET_TLS_CA_FILE": chain, "LEVERET_TLS_PEER_NAME": "localhost"}):
            believed = self.run_tool("ping", f"tls://localhost:{port}", **environment)
            self.assertEqual(0, believed.returncode, believed.stderr)

    def test_plain_text_where_tls_is_spoken_and_the_reverse(self):
        """a plain TARGET of a port with TLS, and TLS to a plain port of either make, end soon and say so"""
        _, target = self.encrypted("reverse")
        refused = self.run_tool("stats", target.removeprefix("tls://"), "--timeout", "3s")
        self.assertEqual(3, refused.returncode, refused.stderr)
        for server in both(self, udp=False):
            refused = self.run_tool("stats", f"tls://{server.address}", "--timeout", "3s")
            self.assertEqual(3, refused.returncode, refused.stderr)
            self.assertIn(server.address, refused.stderr)
