"""Where the benchmark runs: the servers, the PHP processes, and a folder that is gone afterwards."""
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import machine
from worker import Worker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PEERS = {'memcache': ['memcache'], 'memcached': ['msgpack', 'igbinary', 'memcached']}


class Setting:
    peers = PEERS

    def __init__(self, options):
        self.php, self.quick = options.php, options.quick
        self.rounds = options.rounds or (2 if options.quick else 15)
        self.extension = Path(options.extension or ROOT / 'build' / 'leveret.so').resolve()
        self.command = Path(options.command or ROOT / 'build' / 'leveret').resolve()
        self._workers, self._processes, self._started = [], [], {}
        if not self.extension.exists():
            raise RuntimeError(f'{self.extension} is not there: build it with ./x build')

    def __enter__(self):
        self._folder = Path(tempfile.mkdtemp(prefix='leveret-bench-', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None))
        return self

    def __exit__(self, *_):
        self.stop()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def about(self):
        version = subprocess.run(['memcached', '-h'], check=True, capture_output=True, text=True).stdout.splitlines()[0]
        peers = ', '.join(f'php-{name} {self._version(name)}' for name in self.peers)
        return [
            f'machine  {machine._cpu()}, {os.cpu_count()} CPUs',
            f'system   {machine._distribution()}, {self.php}',
            f'peers    {peers}, {version}',
            f'command  {machine.command_line()}',
            f'load     {os.getloadavg()[0]:.1f} in the minute before',
        ]

    def _version(self, name):
        command = self._php(name) + ['-r', f"echo phpversion('{name}');"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def _php(self, side):
        if side == 'bare':
            settings = ['extension=sockets']
        elif side in self.peers:
            settings = [f'extension={name}' for name in self.peers[side]]
        else:
            settings = [f'extension={self.extension}', 'leveret.provide=memcached,apcu', f'leveret.dir={self._folder}', 'apc.enable_cli=1']
        settings += ['display_errors=stderr', 'memory_limit=-1']
        # pecl/memcache warns of each datagram that it does not understand; its answers are counted as wrong all the same.
        settings += ['error_reporting=0' if side == 'memcache' else 'error_reporting=32767']
        return [self.php, '-n'] + [word for setting in settings for word in ('-d', setting)]

    def worker(self, side):
        worker = RowWorker(self._php(side) + [str(HERE / 'worker.php'), {'ours': 'leveret'}.get(side, side)], self._folder)
        self._workers.append(worker)
        return worker

    def count_instructions(self, side, workload, servers, keys, calls):
        """What callgrind counts in a process that makes so many calls, and its wrong answers."""
        name = {'ours': 'leveret'}.get(side, side)
        count = self._folder / 'callgrind.out'
        command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={count}', '--log-file=/dev/null']
        worker = RowWorker(command + self._php(side) + [str(HERE / 'worker.php'), name], self._folder)
        worker.prepare(workload, servers=servers, udp=False, calls=calls, keys=keys, bytes=100)
        wrong = worker.measure()['wrong']
        worker.stop()
        totals = [line for line in count.read_text().splitlines() if line.startswith(('totals:', 'summary:'))]
        return int(totals[-1].split()[1]), wrong

    def stop(self):
        for worker in self._workers:
            worker.stop()
        self._workers = []

    def servers(self, kind):
        """Host and port of each; started when a row first asks for them."""
        if kind == 'arena':
            return [['arena:bench', 0]]
        if kind not in self._started:
            self._started[kind] = {
                'tcp': lambda: [self._memcached()],
                'four': lambda: [self._memcached() for _ in range(4)],
                'unix': lambda: [self._listen(['memcached', '-u', 'root', '-m', '64', '-s', str(self._folder / 'memcached.sock')], str(self._folder / 'memcached.sock'), 0)],
                'serve': self._serve,
            }[kind]()
        return self._started[kind]

    def _memcached(self):
        port = _free_port()
        return self._listen(['memcached', '-u', 'root', '-m', '64', '-l', '127.0.0.1', '-p', str(port), '-U', str(port)], '127.0.0.1', port)

    def _serve(self, folder=None):
        """In the folder where its clients look for arenas."""
        port = _free_port()
        command = [str(self.command), 'serve', '-u', 'root', '-l', '127.0.0.1', '-p', str(port), '--arena', 'served', '--dir', str(folder or self._folder)]
        return [self._listen(command, '127.0.0.1', port)]

    def _listen(self, command, host, port):
        process = subprocess.Popen(command)
        self._processes.append(process)
        for _ in range(500):
            try:
                with socket.socket(socket.AF_INET if port else socket.AF_UNIX) as probe:
                    probe.connect((host, port) if port else host)
                return [host, port]
            except OSError:
                if process.poll() is not None:
                    raise RuntimeError(f'{command[0]} does not start') from None
                time.sleep(0.01)
        raise RuntimeError(f'{command[0]} does not listen')


class RowWorker(Worker):
    def prepare(self, workload, **size):
        self.ask('prepare', workload=workload, **size)
        return self


def _free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
