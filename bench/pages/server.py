"""One PHP that serves one copy of the wiki: php-cgi as a FastCGI server, which is what php-fpm's workers are, without their master."""
import os
import subprocess
import time
from pathlib import Path

from bench.pages.fastcgi import FastCgi
from bench.pages.wiki import CODE, EXTENSIONS, UNPACKED, same_in_all

HERE = Path(__file__).resolve().parent
PHP = f'php-cgi{os.environ.get("LEVERET_PHP", "8.2")}'
# A page takes a tenth of a second, and some fifty times that under callgrind.
PATIENCE = 600


class Site:
    def __init__(self, folder, extensions, ini, settings, server, under=()):
        """`server`: host and port of the main cache; None where that is APCu. `under`: a command that runs PHP."""
        self._server, self._ours = server, int(any('leveret' in str(name) for name in extensions))
        words = ['zend_extension=opcache.so', *(f'extension={name}' for name in (*EXTENSIONS, *extensions)), *ini]
        command = [*under, UNPACKED / 'usr/bin' / PHP, '-n', *(part for word in words for part in ('-d', word)), '-b', str(folder / 'socket')]
        # No children of the caller's choice: this one process is what is measured.
        environment = {**os.environ, 'PHP_FCGI_CHILDREN': '0', 'MW_CONFIG_FILE': str(settings), 'PHP_FCGI_MAX_REQUESTS': '0'}
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
        self._connection = None
        try:
            self._connection = self._connect(folder / 'socket')
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self._process.pid

    def _connect(self, path):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                return FastCgi(path, PATIENCE)
            except OSError:
                if self._process.poll() is not None:
                    raise RuntimeError(f'{PHP} ended with {self._process.returncode}') from None
                time.sleep(0.01)
        raise RuntimeError(f'{PHP} does not listen')

    def page(self, path):
        """One page: what is the same in all answers, nanoseconds of wall clock, and of CPU of the PHP process."""
        cpu, wall = self._cpu(), time.monotonic_ns()
        answer = self._ask(CODE, path)
        wall, cpu = time.monotonic_ns() - wall, self._cpu() - cpu
        return same_in_all(answer), wall, cpu

    def hits(self):
        """How many reads its main cache has answered."""
        host, port = self._server or ('', 0)
        answer = self._ask(HERE, f'hits.php?host={host}&port={port}&ours={self._ours}').partition(b'\r\n\r\n')[2]
        return int(answer)

    def maps(self, name):
        return f'/{name}' in Path(f'/proc/{self.pid}/maps').read_text()

    def _ask(self, root, path):
        script, _, query = path.partition('?')
        return self._connection.ask({
            'SCRIPT_FILENAME': str(root / script), 'SCRIPT_NAME': f'/{script}', 'REQUEST_URI': f'/{path}', 'QUERY_STRING': query,
            'REQUEST_METHOD': 'GET', 'SERVER_PROTOCOL': 'HTTP/1.1', 'GATEWAY_INTERFACE': 'CGI/1.1',
            'SERVER_NAME': 'localhost', 'SERVER_PORT': '80', 'HTTP_HOST': 'localhost', 'REMOTE_ADDR': '127.0.0.1',
        })

    def _cpu(self):
        # The clock of another process, as clock_getcpuclockid(3) makes it.
        return time.clock_gettime_ns(~self.pid << 3 | 2)

    def stop(self):
        if self._connection:
            self._connection.close()
        # php-cgi's handler only notes the signal, and whoever notes it just before accept() waits there all the same.
        while self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(0.5)
            except subprocess.TimeoutExpired:
                pass
