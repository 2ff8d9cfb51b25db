"""Where a benchmark runs: its processes, its servers, and a folder that is gone afterwards."""
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from bench.harness.worker import Worker

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build'


class Setting:
    def __init__(self, options):
        self.quick, self.rounds = options.quick, options.rounds
        self._workers, self._servers = [], []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix='leveret-bench-', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None))
        return self

    def __exit__(self, *_):
        self.end_row()
        for server in self._servers:
            server.terminate()
        for server in self._servers:
            server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_folder(self):
        return Path(tempfile.mkdtemp(dir=self.folder))

    def start(self, command, folder=None):
        worker = Worker(command, folder)
        self._workers.append(worker)
        return worker

    def end_row(self):
        """Stops the row's workers. What they had to themselves goes too: the next row begins with empty memory."""
        for worker in self._workers:
            worker.stop()
            if worker.folder:
                shutil.rmtree(worker.folder, ignore_errors=True)
        self._workers = []

    def memcached(self):
        """Host and port."""
        port = _free_port()
        return self._listen(['memcached', '-u', 'root', '-m', '64', '-l', '127.0.0.1', '-p', str(port), '-U', str(port)], '127.0.0.1', port)

    def memcached_unix(self):
        path = str(self.folder / 'memcached.sock')
        return self._listen(['memcached', '-u', 'root', '-m', '64', '-s', path], path, 0)

    def serve(self, command, folder):
        """`leveret serve` on an arena in the folder where its clients look for arenas."""
        port = _free_port()
        return self._listen([str(command), 'serve', '-u', 'root', '-l', '127.0.0.1', '-p', str(port), '--arena', 'served', '--dir', str(folder)], '127.0.0.1', port)

    def _listen(self, command, host, port):
        server = subprocess.Popen(command)
        self._servers.append(server)
        for _ in range(500):
            try:
                with socket.socket(socket.AF_INET if port else socket.AF_UNIX) as probe:
                    probe.connect((host, port) if port else host)
                return [host, port]
            except OSError:
                if server.poll() is not None:
                    raise RuntimeError(f'{command[0]} does not start') from None
                time.sleep(0.01)
        raise RuntimeError(f'{command[0]} does not listen')


def built(path):
    path = Path(path).resolve()
    if not path.exists():
        raise RuntimeError(f'{path} is not there: build it with ./x build')
    return path


def _free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
