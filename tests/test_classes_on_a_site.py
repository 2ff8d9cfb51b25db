"""The classes Memcached and Memcache under php-fpm, beside the originals: two sites, one server, visitors on both at once."""

import json
import socket
import threading

from servers import Server
from support import PATIENCE, SystemTest, original_of
from webserver import Client, Fpm, Nginx

WORKERS = 3
VISITORS = 4
VISITS = 15


class ClassesOnASite(SystemTest):
    def visit_both(self, name):
        """Each page answers as the original's, whichever worker and connection it gets, and no visit is counted twice."""
        server = Server(self, "memcached")
        providers = {"original": original_of(name.lower()), "ours": self.ours(leveret__provide=name.lower())}
        sites = {who: Nginx(self, Fpm(self, provider, WORKERS, who), "cache_page.php") for who, provider in providers.items()}
        with socket.create_connection(("127.0.0.1", server.port)) as beside:
            beside.sendall(b"set visits 0 0 1\r\n0\r\n")
            self.assertEqual(b"STORED\r\n", beside.recv(64))
        told = []

        def visit(who, number, visits):
            client = Client(sites[who], PATIENCE)
            for _ in range(visits):
                told.append((who, number, *client.ask(**{"class": name}, port=server.port, key=f"{who}{number}")))

        visit("original", 0, 1)
        want = json.loads(told[0][3])["answers"]
        visitors = [threading.Thread(target=visit, args=(who, number, VISITS)) for who in sites for number in range(VISITORS)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join()
        for who, number, status, text in told:
            self.assertEqual(200, status, text)
            # The page's keys are its visitor's own.
            answers = json.loads(text.replace(f"{who}{number}", "original0"))["answers"]
            self.assertEqual(want, answers, f"{who} answers otherwise")
        visits = len(sites) * VISITORS * VISITS + 1
        self.assertEqual(list(range(1, visits + 1)), sorted(json.loads(text)["visits"] for *_, text in told))
        self.remark(f"{len(told)} visits")

    def test_memcached(self):
        """Pages with Memcached answer as those with the original, on one server, at the same time"""
        self.visit_both("Memcached")

    def test_memcache(self):
        """Pages with Memcache answer as those with the original, on one server, at the same time"""
        self.visit_both("Memcache")
