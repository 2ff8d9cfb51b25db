"""`leveret serve` and the clients that people have: each makes the same calls on Debian's memcached and on ours."""

import re
import subprocess
import unittest

from servers import Server, both, listens, tool
from support import AM_ROOT, EXTENSION, PHP, ROOT, SCRIPTS, SystemTest, run

CLIENTS = ROOT / "tests" / "clients"
PECL_MEMCACHED = [PHP, "-n", "-d", "extension=igbinary.so", "-d", "extension=msgpack.so", "-d", "extension=memcached.so"]
PECL_MEMCACHE = [PHP, "-n", "-d", "extension=memcache.so"]


class Clients(SystemTest):
    def compare(self, command_of, calls_min, servers=None, accepted=()):
        """`command_of(server)` prints a line for each call; both servers must have the same printed."""
        want, got = (self.lines(command_of(server)) for server in servers or both(self))
        self.assertGreater(len(want), calls_min, "\n".join(want))
        differences = [(mine, its) for mine, its in zip(got, want) if mine != its and mine not in accepted]
        self.assertEqual([], differences, "(ours, memcached's)")
        self.assertEqual(len(want), len(got))
        self.remark(f"{len(want)} calls compared")

    def lines(self, command):
        done = run([str(word) for word in command])
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return re.sub(r"127\.0\.0\.1:\d+|'port' => \d+", "SERVER", done.stdout).splitlines()

    def test_php_memcached_text(self):
        """php-memcached's calls answer alike in the text protocol"""
        self.compare(lambda server: [*PECL_MEMCACHED, SCRIPTS / "memcached_calls.php", server.address, 0], 100)

    def test_php_memcached_binary(self):
        """php-memcached's calls answer alike in the binary protocol"""
        self.compare(lambda server: [*PECL_MEMCACHED, SCRIPTS / "memcached_calls.php", server.address, 1], 100)

    def test_php_memcache(self):
        """php-memcache's calls answer alike over TCP"""
        self.compare(lambda server: [*PECL_MEMCACHE, SCRIPTS / "memcache_calls.php", "127.0.0.1", server.port], 25)

    def test_php_memcache_udp(self):
        """php-memcache's calls with single keys answer alike over UDP"""
        self.compare(lambda server: [*PECL_MEMCACHE, SCRIPTS / "memcache_calls.php", "127.0.0.1", server.port, server.udp_port], 20)

    def test_dalli(self):
        """Dalli's calls (Ruby, binary protocol) answer alike"""
        self.compare(lambda server: ["ruby", CLIENTS / "dalli.rb", server.address], 25)

    def test_pymemcache(self):
        """pymemcache's calls (Python) answer alike"""
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "pymemcache_calls.py", server.port], 20)

    def test_django_pylibmc(self):
        """Django's cache and sessions on PyLibMCCache do on `leveret serve` what they do on memcached"""
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "django_cache.py", "PyLibMCCache", server.address], 20)

    def test_django_pymemcache(self):
        """Django's cache and sessions on PyMemcacheCache do on `leveret serve` what they do on memcached, at a Unix socket"""
        servers = both(self, unix=True)
        self.compare(lambda server: ["/usr/bin/python3", CLIENTS / "django_cache.py", "PyMemcacheCache", server.socket], 20, servers)

    def test_libmemcached_tools(self):
        """libmemcached's tools copy, show, test, touch and remove alike"""
        source = self.folder / "page.html"
        source.write_text("<p>a page</p>\n")
        for server in both(self):
            on = f"--servers={server.address}"
            self.assertEqual(0, tool("memccp", on, source).returncode)
            self.assertEqual("<p>a page</p>\n", tool("memccat", on, "page.html").stdout.replace("\n\n", "\n"))
            self.assertIn("curr_items: 1\n", tool("memcstat", on).stdout)
            self.assertEqual("page.html\n", tool("memcdump", on).stdout)
            self.assertEqual(0, tool("memcping", on).returncode)
            self.assertEqual([0, 1], [tool("memcexist", on, key).returncode for key in ("page.html", "none")])
            self.assertEqual(0, tool("memctouch", on, "--expire=100", "page.html").returncode)
            self.assertEqual(0, tool("memcrm", on, "page.html").returncode)
            self.assertNotEqual(0, tool("memcexist", on, "page.html").returncode)
            self.assertEqual(0, tool("memcflush", on).returncode)

    def test_memccapable(self):
        """libmemcached's protocol tester finds as much in order as with memcached"""
        passed = []
        for server in both(self):
            done = tool("memccapable", "-h", "127.0.0.1", "-p", server.port, "-t", "10")
            # What fails is said on the other stream, and leaves its name at the front of the next line.
            names = re.findall(r"((?:ascii|binary)(?: (?!ascii|binary)\w+)+) +\[pass\]", done.stdout)
            passed.append(set(names))
        self.assertGreater(len(passed[0]), 20)
        # It wants `delete KEY 5` refused; memcached 1.6.45 takes it for a plain delete, and so do we.
        newer = {"ascii delete", "ascii delete noreply"}
        self.assertEqual(set(), passed[0] - passed[1] - newer)
        self.remark(f"{len(passed[1])} of its checks pass on ours, {len(passed[0])} on memcached")

    def test_memcached_tool(self):
        """memcached-tool (Debian's script) shows and dumps"""
        script = "/usr/share/memcached/scripts/memcached-tool"
        for server in both(self):
            server.talk(b"set shown 3 0 5\r\nhello\r\n", end=b"STORED\r\n")
            self.assertRegex(tool(script, server.address, "display").stdout, r"(?m)^ +\d+ +\d+B ")
            self.assertRegex(tool(script, server.address, "stats").stdout, r"curr_items +1\n")
            self.assertRegex(tool(script, server.address, "settings").stdout, r"maxconns +1024\n")
            self.assertIn("add shown 3 0 5\r\nhello\r\n", tool(script, server.address, "dump").stdout.replace("\n", "\r\n").replace("\r\r", "\r"))
            self.assertIn("key=shown exp=-1 ", tool(script, server.address, "keys").stdout)
            self.assertEqual(0, tool(script, server.address, "sizes").returncode)

    def test_nginx(self):
        """nginx serves a page out of the cache (memcached_pass)"""
        for server in both(self):
            page = b"<h1>from the cache</h1>"
            server.talk(b"set /page 0 0 %d\r\n%s\r\n" % (len(page), page), end=b"STORED\r\n")
            place = server.folder / "nginx"
            place.mkdir()
            (place / "nginx.conf").write_text(
                f"""daemon off; pid {place}/pid; error_log {place}/errors; worker_processes 1;
                {'user root;' if AM_ROOT else ''}
                events {{ worker_connections 64; }}
                http {{ access_log off; client_body_temp_path {place}; proxy_temp_path {place}; fastcgi_temp_path {place};
                uwsgi_temp_path {place}; scgi_temp_path {place};
                server {{ listen unix:{place}/socket; default_type text/html;
                location / {{ set $memcached_key $uri; memcached_pass {server.address}; }} }} }}"""
            )
            self.start(["nginx", "-p", str(place), "-c", str(place / "nginx.conf")], stderr=subprocess.DEVNULL)
            self.wait_for("nginx", lambda: listens(place / "socket"))
            asked = ["curl", "-s", "--unix-socket", str(place / "socket"), "-w", "%{http_code}"]
            self.assertEqual(page.decode() + "200", tool(*asked, "http://localhost/page").stdout)
            self.assertTrue(tool(*asked, "http://localhost/none").stdout.endswith("404"))

    def test_every_language_reads_what_php_stored(self):
        """a key set by PHP in the arena is read through the server by netcat, Ruby and Python, and back"""
        arena = self.arenas / "shared.arena"
        php = [PHP, "-n", "-d", f"extension={EXTENSION}", "-r"]
        store = f"assert(extension_loaded('leveret')); $c = new Leveret\\Cache('{arena}'); $c->set('from-php', 'grüße');"
        self.assertEqual("", run([*php, store]).stderr)
        server = Server(self, "leveret", arena=arena)
        said = f"printf 'get from-php\\r\\nquit\\r\\n' | nc -N 127.0.0.1 {server.port}"
        self.assertEqual("VALUE from-php 0 7\ngrüße\nEND\n", tool("sh", "-c", said).stdout.replace("\r", ""))
        ruby = "require 'dalli'; c = Dalli::Client.new(ARGV[0]); print c.get('from-php'); c.set('from-ruby', 'saluto', 0, raw: true)"
        self.assertEqual("grüße", tool("ruby", "-e", ruby, server.address).stdout)
        python = (
            "import sys; from pymemcache.client.base import Client; c = Client(('127.0.0.1', int(sys.argv[1])));"
            "print(c.get('from-php').decode(), end=''); c.set('from-python', 'hello', noreply=False)"
        )
        self.assertEqual("grüße", tool("/usr/bin/python3", "-c", python, server.port).stdout)
        read = f"$c = new Leveret\\Cache('{arena}'); echo $c->get('from-ruby'), ' ', $c->get('from-python');"
        self.assertEqual("saluto hello", run([*php, read]).stdout)


if __name__ == "__main__":
    unittest.main()
