"""php-fpm and nginx as on a site: root's master, www-data's workers. All sockets are in the test's folder, so no port is shared."""

import http.client
import os
import shutil
import signal
import socket
import time
import urllib.parse
from pathlib import Path

from servers import listens
from support import AM_ROOT, PHP_VERSION, SCRIPTS, end, run

FPM = f"/usr/sbin/php-fpm{PHP_VERSION}"
NGINX = "/usr/sbin/nginx"

# The user of Debian's pools. Only root can change the user: otherwise all run as the caller.
WORKER_USER = "www-data" if AM_ROOT else None


def share(folder):
    """As packages make it: root's, and of the group whose members share the cache."""
    if WORKER_USER:
        shutil.chown(folder, "root", WORKER_USER)
        folder.chmod(0o2770)


class Master:
    """A process that keeps workers, and whose log says each time that it takes connections. Of its class come `NAME`, `READY` (what the log
    says), `test`, `log`, and `start`, which sets `process`."""

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def restart(self):
        self.stop()
        self.start()

    def renew(self, signal_number):
        """Has it replace its workers, and returns when it takes connections with new ones."""
        readies = self.readies()
        self.process.send_signal(signal_number)
        self.wait_ready(readies)

    def readies(self):
        """How often it has said that it takes connections: once a start, once a renewal."""
        return self.said().count(self.READY)

    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait_ready(self, readies):
        def ready():
            if self.process.poll() is not None:
                self.test.fail(f"{self.NAME} ended: {self.complaint()}")
            return self.readies() > readies and self.is_complete()

        self.test.wait_for(f"{self.NAME} to take connections", ready)

    def is_complete(self):
        return True

    def complaint(self):
        return self.said()

    def workers(self):
        """The pids of the living workers, as the kernel lists them: it also lists the dead that their master has not noticed yet."""
        master = self.process.pid
        return [int(pid) for pid in Path(f"/proc/{master}/task/{master}/children").read_text().split() if is_alive(pid)]


class Fpm(Master):
    """One php-fpm with a static pool. `restart` is a new master, `reload` the old one executing itself again."""

    NAME, READY = "php-fpm", "ready to handle connections"

    def __init__(self, test, provider, workers=4, name="site"):
        self.test, self.provider, self.workers_wanted = test, provider, workers
        self.socket = test.folder / f"{name}.sock"
        self.log = test.folder / f"{name}.log"
        self.config = test.folder / f"{name}.conf"
        user = f"user = {WORKER_USER}\ngroup = {WORKER_USER}\nlisten.owner = {WORKER_USER}\n" if WORKER_USER else ""
        self.config.write_text(
            f"[global]\nerror_log = {self.log}\ndaemonize = no\n"
            f"[site]\nlisten = {self.socket}\nlisten.backlog = 511\n{user}"
            f"pm = static\npm.max_children = {workers}\ncatch_workers_output = yes\n"
        )
        self.start()

    def start(self):
        readies = self.readies()
        command = [FPM, *self.provider.arguments(), "-F", "-y", self.config, *(["-R"] if AM_ROOT and not WORKER_USER else [])]
        with open(self.test.folder / "fpm.out", "ab") as out:
            self.process = self.test.start(list(map(str, command)), stdout=out, stderr=out, start_new_session=True)
        # A worker that was killed may have held the lock of php-fpm's scoreboard: then others spin for it, also without their master.
        self.test.addCleanup(end_all, self.process)
        self.wait_ready(readies)

    def reload(self):
        self.renew(signal.SIGUSR2)

    def is_complete(self):
        return len(self.workers()) == self.workers_wanted

    def complaint(self):
        return self.said() + (self.test.folder / "fpm.out").read_text()


class Daemon:
    """A process that is not a child of this one: Popen's questions go to the kernel."""

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        return None if is_alive(self.pid) else 0

    def send_signal(self, number):
        os.kill(self.pid, number)

    def wait(self):
        while is_alive(self.pid):
            time.sleep(0.01)


class DaemonFpm(Fpm):
    """php-fpm as it starts without -F: the process that has loaded PHP forks the master, and ends."""

    def start(self):
        pid_file = self.config.with_suffix(".pid")
        self.config.write_text(self.config.read_text().replace("daemonize = no", f"daemonize = yes\npid = {pid_file}"))
        readies = self.readies()
        command = [FPM, *self.provider.arguments(), "-y", self.config, *(["-R"] if AM_ROOT and not WORKER_USER else [])]
        done = run(list(map(str, command)))
        self.test.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.process = Daemon(int(pid_file.read_text()))
        self.test.addCleanup(self.end)
        self.wait_ready(readies)

    def end(self):
        if self.process.poll() is None:
            self.stop()

    def complaint(self):
        return self.said()


class Nginx:
    """nginx that hands each request to one script of tests/php. `sites`: the INI settings of each site, as PHP_ADMIN_VALUE; a request
    names its site by the query parameter of that name."""

    # A worker that is killed before it has answered is a 502 of nginx's own.
    cut_off = (http.client.IncompleteRead,)

    def __init__(self, test, fpm, script, sites=None):
        self.socket = test.folder / f"nginx-of-{fpm.socket.stem}.sock"
        self.socket.unlink(missing_ok=True)  # of one that a test has replaced
        config = test.folder / "nginx.conf"
        temps = "".join(f"    {kind}_temp_path {test.folder}/nginx_{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = f"user {WORKER_USER};\n" if WORKER_USER else ""
        values = "".join(f'        {site} "' + "\n".join(f"{key}={value}" for key, value in ini.items()) + '";\n' for site, ini in (sites or {}).items())
        admin_map, admin_value = (f"    map $arg_site $admin_value {{\n{values}    }}\n", "            fastcgi_param PHP_ADMIN_VALUE $admin_value;\n") if sites else ("", "")
        # keepalive_timeout 0: when a worker dies between the head of its answer and the end, nginx keeps the visitor's connection
        # open and the visitor waits for the rest until nginx's time-out. fastcgi_next_upstream off: a request whose worker is killed must not run a second time.
        config.write_text(
            f"{user}daemon off;\nworker_processes 1;\npid {test.folder}/nginx.pid;\nerror_log {test.folder}/nginx.log;\n"
            f"events {{ worker_connections 512; }}\n"
            f"http {{\n    access_log off;\n    keepalive_timeout 0;\n{temps}{admin_map}"
            f"    server {{\n        listen unix:{self.socket};\n        location / {{\n"
            f"            fastcgi_pass unix:{fpm.socket};\n            fastcgi_next_upstream off;\n            fastcgi_read_timeout 100s;\n"
            f"            fastcgi_param SCRIPT_FILENAME {SCRIPTS / script};\n            fastcgi_param REQUEST_METHOD $request_method;\n"
            f"            fastcgi_param QUERY_STRING $query_string;\n{admin_value}        }}\n    }}\n}}\n"
        )
        process = test.start([NGINX, "-e", str(test.folder / "nginx.log"), "-c", str(config)])

        def is_up():
            if process.poll() is not None:
                test.fail(f"nginx ended: {(test.folder / 'nginx.log').read_text()}")
            return listens(self.socket)

        test.wait_for("nginx to listen", is_up)

    def connect(self, patience):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(patience)
        connection.connect(str(self.socket))
        return connection


def end_all(master):
    """Ends a master that leads its own session, and the remaining processes of that session."""
    end(master)
    try:
        os.killpg(master.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Client(http.client.HTTPConnection):
    """One browser: asks with query parameters and gets (status, text). 502: its worker was killed, with or without having done its work."""

    def __init__(self, web, patience):
        super().__init__("localhost", timeout=patience)
        self.web = web

    def connect(self):
        self.sock = self.web.connect(self.timeout)

    def ask(self, **query):
        try:
            self.request("GET", "/?" + urllib.parse.urlencode(query))
            answer = self.getresponse()
            return answer.status, answer.read().decode()
        except self.web.cut_off:
            self.close()
            return 502, ""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(pid):
    """SIGKILL to a worker of ours; it may have ended by itself since it was listed."""
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
