"""The processes with each of the clients, and the servers that they ask."""
from pathlib import Path

from bench.harness import callgrind
from bench.harness.machine import extension_version, first_line
from bench.harness.setting import Setting, built

HERE = Path(__file__).resolve().parent
PEERS = {'memcache': ['memcache'], 'memcached': ['msgpack', 'igbinary', 'memcached']}


class Clients(Setting):
    def __init__(self, options):
        super().__init__(options)
        self._php, self._command = options.php, built(options.command)
        self._extension = built(options.extension)
        self._started = {}

    def about(self):
        versions = (f'php-{name} {extension_version(self._php_with(name), name)}' for name in PEERS)
        return {'php': first_line(self._php, '-n', '-v'), 'peers': ', '.join([*versions, first_line('memcached', '-h')])}

    def client(self, client):
        """memcache, memcached; leveret, or apcu by the same extension; bare: sockets."""
        return self.start(self._worker(client))

    def count_instructions(self, client, workload, servers, keys, calls):
        """What callgrind counts in a process that makes so many calls, and its wrong answers."""
        counts = self.folder / 'callgrind.out'
        worker = self.start(['valgrind', '--tool=callgrind', f'--callgrind-out-file={counts}', '--log-file=/dev/null', *self._worker(client)])
        worker.prepare(workload, servers=servers, udp=False, calls=calls, keys=keys, bytes=100)
        wrong = worker.measure()['wrong']
        worker.stop()
        return callgrind.count(counts)[0], wrong

    def _worker(self, client):
        return [*self._php_with(client), str(HERE / 'worker.php'), client]

    def _php_with(self, client):
        if client == 'bare':
            settings = ['extension=sockets']
        elif client in PEERS:
            settings = [f'extension={name}' for name in PEERS[client]]
        else:
            settings = [f'extension={self._extension}', 'leveret.provide=memcached,apcu', f'leveret.dir={self.folder}', 'apc.enable_cli=1']
        settings += ['display_errors=stderr', 'memory_limit=-1']
        # pecl/memcache warns of each datagram that it does not understand; its answers are counted as wrong all the same.
        settings += ['error_reporting=0' if client == 'memcache' else 'error_reporting=32767']
        return [self._php, '-n'] + [part for setting in settings for part in ('-d', setting)]

    def servers(self, kind):
        """Host and port of each; started when a row first asks for them."""
        if kind not in self._started:
            self._started[kind] = {
                'tcp': lambda: [self.memcached()],
                'four': lambda: [self.memcached() for _ in range(4)],
                'unix': lambda: [self.memcached_unix()],
                'serve': lambda: [self.serve(self._command, self.folder)],
                'arena': lambda: [['arena:bench', 0]],
            }[kind]()
        return self._started[kind]
