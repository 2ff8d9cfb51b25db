"""Metrics: `leveret serve --metrics` and `leveret metrics`, read by curl and promtool; packaging/grafana/ beside them."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

from servers import Server, tool
from support import AM_ROOT, COMMAND, EXTENSION, PHP, ROOT, SystemTest

PROMTOOL = shutil.which("promtool") or next(map(str, ROOT.glob("build/prometheus/usr/bin/promtool")), None)
USER = "root" if AM_ROOT else os.environ.get("USER", "nobody")
GRAFANA = ROOT / "packaging" / "grafana"
TRAFFIC = b"".join([
    b"set a 0 0 5\r\nhello\r\n", b"set n 0 0 1\r\n7\r\n", b"get a\r\n", b"get a n\r\n", b"get none\r\n", b"incr n 2\r\n", b"incr none 2\r\n",
    b"decr n 1\r\n", b"touch a 100\r\n", b"touch none 1\r\n", b"delete a\r\n", b"delete a\r\n", b"cas n 0 0 1 1\r\n1\r\n", b"cas none 0 0 1 1\r\n1\r\n",
    b"set big 0 0 2000000\r\n", b"x" * 2000000, b"\r\n", b"mn\r\n",
])


class Metrics(SystemTest):
    def serve(self, *options):
        self.place = self.folder / "metrics"
        return Server(self, "leveret", "--metrics", str(self.place), *options, udp=False)

    def curl(self, *words):
        done = tool("curl", "-sS", "--max-time", 60, "--unix-socket", self.place, *words)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def scrape(self):
        return self.curl("http://localhost/metrics")

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(str(self.place))
        self.addCleanup(connection.close)
        return connection

    def test_numbers(self):
        """after known traffic the metrics say what stats says, by memcached_exporter's names"""
        server = self.serve()
        server.talk(TRAFFIC, end=b"MN\r\n")
        stats = dict(line.split(" ", 2)[1:] for line in server.talk(b"stats\r\n").decode().splitlines()[:-1])
        got = samples(self.scrape())
        for name, want in {
            "memcached_up": "1", "memcached_current_items": stats["curr_items"], "memcached_items_total": stats["total_items"],
            "memcached_current_bytes": stats["bytes"], "memcached_limit_bytes": stats["limit_maxbytes"], "memcached_max_connections": "1024",
            "memcached_items_evicted_total": "0", 'memcached_version,version="1.6.45"': "1", "memcached_accepting_connections": "1",
            'leveret_attached_processes,program="server"': "1", 'leveret_attached_processes,program="php"': "0", 'leveret_program_reads_total,program="server",status="hit"': "3",
            'leveret_program_reads_total,program="server",status="miss"': "1", 'leveret_evictions_by_age_total,age="older"': "0", "leveret_lock_wait_seconds_count": "0", 'leveret_lock_hold_seconds_bucket,le="+Inf"': "0",
            'leveret_lock_wait_seconds_bucket,le="+Inf"': "0", "leveret_endpoints": "1", "leveret_workers": "2", 'leveret_store_failures_total,reason="too_large"': "1",
        }.items():
            self.assertEqual(want, got[name], name)
        for command, status, stat, want in (
            ("get", "hit", "get_hits", 3), ("get", "miss", "get_misses", 1), ("incr", "hit", "incr_hits", 1), ("incr", "miss", "incr_misses", 1),
            ("decr", "hit", "decr_hits", 1), ("touch", "hit", "touch_hits", 1), ("touch", "miss", "touch_misses", 1), ("delete", "hit", "delete_hits", 1),
            ("delete", "miss", "delete_misses", 1), ("cas", "badval", "cas_badval", 1), ("cas", "miss", "cas_misses", 1),
        ):
            value = got[f'memcached_commands_total,command="{command}",status="{status}"']
            self.assertEqual((str(want), stats[stat]), (value, value), (command, status))
        # As memcached_exporter counts: `cmd_set` has the two cas in it, which are commands of their own here.
        self.assertEqual(("4", "2"), (stats["cmd_set"], got['memcached_commands_total,command="set",status="hit"']))
        self.assertGreater(int(got["memcached_read_bytes_total"]), 2000000)
        states = [int(value) for name, value in got.items() if name.startswith("leveret_memory_bytes,")]
        self.assertEqual(int(stats["limit_maxbytes"]), sum(states))
        # The arena reports the same without the server.
        alone = samples(self.leveret("metrics", server.folder / "cache.arena"))
        self.assertEqual({name: got[name] for name in alone if name.startswith("leveret_") and "memory" not in name},
                         {name: value for name, value in alone.items() if name.startswith("leveret_") and "memory" not in name})
        self.assertNotIn("memcached_current_connections", alone)

    def test_reads_of_php(self):
        """PHP's reads are counted as PHP's, and those of decoded values too"""
        code = """$m = new Leveret\\Cache('shop'); $m->set('list', ['a' => [1, 2, 3]]); for ($i = 0; $i < 300; $i++) { $m->get('list'); $m->get('none'); }"""
        done = tool(PHP, "-n", "-d", f"extension={EXTENSION}", "-d", f"leveret.dir={self.arenas}", "-r", code)
        self.assertEqual((0, ""), (done.returncode, done.stdout + done.stderr))
        got = samples(self.leveret("metrics", self.arenas / "shop.arena"))
        reads = [int(got[f'leveret_program_reads_total,program="php",status="{status}"']) for status in ("hit", "miss")]
        self.assertEqual([300, 300], reads)
        # The first two reads decode it.
        self.assertEqual(298, int(got['leveret_decoded_reads_total,program="php"']))
        self.assertEqual("0", got['leveret_program_reads_total,program="other",status="hit"'])

    def test_how_long_commands_take(self):
        """one request in 64 is timed, of each kind of command in both protocols; buckets add up"""
        server = self.serve()
        server.talk(b"set a 0 0 1\r\n1\r\n" + 6400 * b"get a\r\n" + 640 * b"incr a 1\r\n" + b"mn\r\n", end=b"MN\r\n")
        got = samples(self.scrape())
        name = "leveret_command_duration_seconds"
        count = {command: int(got[f'{name}_count,command="{command}"']) for command in ("get", "set", "delete", "incr", "touch", "other")}
        # The first one of each worker, and the 64 after it.
        self.assertEqual(7042 // 64 + 1, sum(count.values()), count)
        self.assertEqual((1, 100, 10), (count["set"], count["get"], count["incr"]), count)
        buckets = [int(value) for label, value in got.items() if label.startswith(f'{name}_bucket,command="get",le=')]
        self.assertEqual(14, len(buckets))
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual(count["get"], buckets[-1])
        self.assertGreater(float(got[f'{name}_sum,command="get"']), 0)

    def test_over_tcp(self):
        """a port of the loopback serves the same; a second server cannot have it; it is free after the end"""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        server = Server(self, "leveret", "--metrics", address, udp=False)
        head = tool("curl", "-sSi", f"http://{address}/metrics").stdout
        self.assertRegex(head, r"^HTTP/1.1 200 OK\s")
        self.assertIn("text/plain; version=0.0.4", head)
        self.assertEqual("404", tool("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", f"http://{address}/").stdout)
        second = tool(COMMAND, "serve", "-p", "-1", "-u", USER, "--arena", self.arena("other"), "--metrics", address)
        self.assertEqual(3, second.returncode)
        self.assertIn(f"cannot listen on {address} (--metrics): in use already (another server? choose another port with --metrics", second.stderr)
        server.process.terminate()
        self.assertEqual(0, server.process.wait(60))
        socket.create_server(("127.0.0.1", int(address.split(":")[1]))).close()

    def test_hostile_clients(self):
        """a client that never ends a request, never reads or sends garbage is dropped in time, and costs neither memory nor scrapes nor clients"""
        server = self.serve()
        self.scrape()
        before = rss(server)
        silent = [self.connect() for _ in range(60)]
        for number, connection in enumerate(silent):
            # The server may have closed the oldest of them by now.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall([b"", b"GET /metr", b"GET /metrics HTTP/1.1\r\nHost: x\r\n"][number % 3])
        # Clients of the cache do not meet them.
        self.assertIn(b"STAT pid", server.talk(b"stats\r\n"))
        deaf = self.connect()
        deaf.sendall(b"GET /metrics HTTP/1.1\r\n\r\n" * 100)
        # Connections that close make room for waiting ones, which are dropped soon.
        for connection in silent[:32]:
            connection.close()
        for connection in silent[32:]:
            self.assertEqual(b"", read_all(connection))
        self.assertTrue(samples(self.scrape()))
        self.assertIn(b"431", answer(self.connect(), b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (1 << 20)))
        for garbage in (b"\x00\xff\r\n\r\n", b"get a\r\n\r\n", b"\x80\x00\n\n", b"GET\r\n\r\n"):
            self.assertIn(b"400", answer(self.connect(), garbage), garbage)
        self.assertIn(b"405", answer(self.connect(), b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
        self.assertTrue(samples(self.scrape()))
        self.assertLess(rss(server) - before, 16 << 20)
        server.process.terminate()
        self.assertEqual(0, server.process.wait(60))
        self.assertFalse(self.place.exists())

    @unittest.skipUnless(PROMTOOL, "no promtool: ./x test unpacks it into build/prometheus")
    def test_promtool(self):
        """promtool finds nothing wrong with the metrics and the alerts, and each alert fires in its test"""
        self.serve()
        for text in (self.scrape(), self.leveret("metrics", self.folder / next(self.folder.glob("leveret-*/cache.arena")))):
            done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
            self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))
        for words in (["check", "rules", GRAFANA / "leveret.rules.yml"], ["test", "rules", GRAFANA / "leveret.rules.test.yml"]):
            done = tool(PROMTOOL, *words)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_dashboard_and_alerts(self):
        """each metric of the dashboard, the alerts and docs/reference/metrics.md is served, and each alert has a test"""
        self.serve()
        told = {name.split(",")[0] for name in samples(self.scrape())}
        # TLS has metrics only where there is TLS.
        told |= {"leveret_tls_handshake_failures_total", "leveret_tls_certificate_age_seconds"}
        rules = (GRAFANA / "leveret.rules.yml").read_text()
        dashboard = json.loads((GRAFANA / "leveret.json").read_text())
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        self.assertGreater(len(asked), 20)
        page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
        for place, text in (("dashboard", " ".join(asked)), ("rules", rules), ("page", page)):
            names = set(re.findall(r"\b(?:memcached|leveret)_[a-z_]*[a-z](?![a-z_*])", text)) - {"memcached_exporter"}
            self.assertTrue(names)
            self.assertEqual(set(), names - told, place)
        self.assertEqual(set(), {name for name in told if name not in page}, "docs/reference/metrics.md names them all")
        test = (GRAFANA / "leveret.rules.test.yml").read_text()
        for alert in re.findall(r"alert: (\w+)", rules):
            self.assertRegex(test, rf"alertname: {alert}\n", alert)


def samples(text):
    """Samples by name and labels, without that of the arena: `memcached_commands_total,command="get",status="hit"`."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = re.fullmatch(r'(\w+)\{arena="[^"]*"(.*)\} (\S+)', line).groups()
            found[name + labels] = value
    return found


def rss(server):
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10


def answer(connection, request):
    try:
        connection.sendall(request)
    except ConnectionError:
        pass  # it need not read all of it
    return read_all(connection)


def read_all(connection):
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        pass
    return heard


if __name__ == "__main__":
    unittest.main()
