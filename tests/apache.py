"""Apache with mod_php as a site has it: root's parent, www-data's children, on a loopback port that the test keeps."""

import http.client
import os
import signal
import socket
import tempfile
from pathlib import Path

from support import PHP_VERSION, SCRIPTS
from webserver import WORKER_USER, Master, end_all

APACHE = "/usr/sbin/apache2"
MODULES = "/usr/lib/apache2/modules"


class Apache(Master):
    """One Apache with a fixed number of children and one page of tests/php, each of which ends after `requests` requests. `sites`: as with Nginx."""

    NAME, READY = "Apache", "resuming normal operations"

    # Without a proxy, so that a killed child is visible to the client.
    cut_off = (http.client.IncompleteRead, ConnectionError)

    def __init__(self, test, provider, script, workers=4, requests=0, sites=None):
        if not Path(f"{MODULES}/libphp{PHP_VERSION}.so").exists():
            test.skipTest("no mod_php here: ./x test installs libapache2-mod-php only where no apache2 is installed, whose settings it would change")
        self.test = test
        self.folder = Path(tempfile.mkdtemp(prefix="apache-", dir=test.folder))
        self.folder.chmod(0o755)
        self.log = self.folder / "error.log"
        self.keep_port()
        # mod_php takes no -d: its settings are a php.ini.
        (self.folder / "php.ini").write_text("".join(f"{setting}\n" for setting in provider.settings()))
        user = f"User {WORKER_USER}\nGroup {WORKER_USER}\n" if WORKER_USER else ""
        values = "".join(
            f"<If \"%{{QUERY_STRING}} =~ /site={site}/\">\n" + "".join(f"    php_admin_value {key} {value}\n" for key, value in ini.items()) + "</If>\n"
            for site, ini in (sites or {}).items()
        )
        modules = {"mpm_prefork": "mod_mpm_prefork", "authz_core": "mod_authz_core", "dir": "mod_dir", "php": f"libphp{PHP_VERSION}"}
        (self.folder / "apache.conf").write_text(
            "".join(f"LoadModule {module}_module {MODULES}/{file}.so\n" for module, file in modules.items())
            + f"ServerRoot {self.folder}\nDefaultRuntimeDir {self.folder}\nPidFile {self.folder}/pid\nErrorLog {self.log}\n"
            f"ServerName localhost\nListen 127.0.0.1:{self.address[1]}\n{user}"
            f"StartServers {workers}\nMinSpareServers {workers}\nMaxSpareServers {workers}\nServerLimit {workers}\nMaxRequestWorkers {workers}\n"
            f"MaxConnectionsPerChild {requests}\nKeepAlive Off\nPHPINIDir {self.folder}\n"
            f"DocumentRoot {SCRIPTS}\nDirectoryIndex {script}\n{values}<Files *.php>\n    SetHandler application/x-httpd-php\n</Files>\n"
        )
        self.start()

    def keep_port(self):
        """A bound socket that never listens reserves the port. Apache may bind it too, because both set SO_REUSEADDR."""
        keeper = socket.socket()
        self.test.addCleanup(keeper.close)
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        self.address = keeper.getsockname()

    def connect(self, patience):
        return socket.create_connection(self.address, patience)

    def start(self):
        # An empty scan folder: Debian's would load its apcu and memcached.
        environment = {**os.environ, "PHP_INI_SCAN_DIR": ""}
        readies = self.readies()
        # A session of its own: a parent that ends signals its whole process group.
        self.process = self.test.start([APACHE, "-D", "FOREGROUND", "-f", str(self.folder / "apache.conf")], env=environment, start_new_session=True)
        self.test.addCleanup(end_all, self.process)
        self.wait_ready(readies)

    def graceful(self):
        """`apachectl graceful`: children end after the request that they have."""
        self.renew(signal.SIGUSR1)
