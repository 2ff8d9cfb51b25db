"""A visitor of site.php that checks each answer while processes are killed."""

import http.client
import json
import threading

from support import PATIENCE
from webserver import Client


class Visitor(threading.Thread):
    """Sends requests without pause. Owns one key, so it knows which versions that key may have after any kill."""

    def __init__(self, web, key):
        super().__init__(daemon=True)
        self.web, self.key = web, key
        self.answers, self.cut_off, self.complaints = 0, 0, []
        self.leaving = threading.Event()

    def leave(self):
        self.leaving.set()
        self.join()

    def run(self):
        version = 0
        possible = {0}  # what the key may hold: the last acknowledged version, and those whose request was cut off since
        client = Client(self.web, PATIENCE)
        while not self.leaving.is_set() and not self.complaints:
            version += 1
            try:
                status, text = client.ask(do="work", key=self.key, version=version)
            except (http.client.HTTPException, OSError) as error:
                self.complaints.append(f"{self.key}: the web server did not answer: {error!r}")
                return
            if status == 502:  # its worker was killed: the write may have happened or not
                self.cut_off += 1
                possible.add(version)
            elif status != 200 or not text.startswith("{"):
                self.complaints.append(f"{self.key}: {status} {text[:600]}")
            else:
                self.answers += 1
                answer = json.loads(text)
                if answer["before"] not in possible:
                    self.complaints.append(f"{self.key} held version {answer['before']}, allowed were {sorted(possible)}")
                if not answer["stored"]:
                    self.complaints.append(f"{self.key}: version {version} was refused")
                possible = {version}


def complaints(visitors):
    return [complaint for visitor in visitors for complaint in visitor.complaints]
