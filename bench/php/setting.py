"""Where a benchmark runs: which PHP, which extensions, and a folder for the arenas that is gone afterwards."""
import os
import shutil
import tempfile
from pathlib import Path

from worker import Worker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Enough for every row but those that look for the smallest arena.
SHM_SIZE = '512M'
# APCu's own advice for many keys; without it its chains are long (row shuffled-default).
ENTRIES_HINT = '1000000'


class Setting:
    def __init__(self, options):
        self.php = options.php
        self.quick = options.quick
        self.rounds = options.rounds or (2 if options.quick else 11)
        self.extension = Path(options.extension or ROOT / 'build' / 'leveret.so').resolve()
        self.peer_extension = options.peer
        self.our_side = 'apcu' if options.peer_only else 'leveret'
        self._arenas = None
        self._workers = []
        if self.our_side == 'leveret' and not self.extension.exists():
            raise RuntimeError(f'{self.extension} is not there: build it with ./x build')

    def __enter__(self):
        self._arenas = Path(tempfile.mkdtemp(prefix='leveret-bench-', dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None))
        return self

    def __exit__(self, *_):
        self.stop_workers()
        shutil.rmtree(self._arenas, ignore_errors=True)

    def new_folder(self):
        return Path(tempfile.mkdtemp(dir=self._arenas))

    def php_command(self, side, folder, ini=None):
        """PHP with nothing but this side's extension; `ini` overrides."""
        settings = {
            'extension': str(self.extension) if side == 'leveret' else self.peer_extension,
            'memory_limit': '-1',
            'display_errors': 'stderr',
            'apc.enable_cli': '1',
            'apc.shm_size': SHM_SIZE,
            'apc.entries_hint': ENTRIES_HINT,
        }
        if side == 'leveret':
            settings.update({'leveret.dir': str(folder), 'leveret.apcu_cli': 'shared', 'leveret.decoded_cache': '0'})
        settings.update(ini or {})
        return [self.php, '-n'] + [argument for name, value in settings.items() for argument in ('-d', f'{name}={value}')]

    def peer(self, ini=None):
        return self._start('apcu', ini)

    def ours(self, ini=None):
        return self._start(self.our_side, ini)

    def _start(self, side, ini):
        folder = self.new_folder()
        worker = Worker(self.php_command(side, folder, ini) + [str(HERE / 'worker.php'), side], folder)
        self._workers.append(worker)
        return worker

    def stop_workers(self):
        """Also removes their arenas: the next row begins with empty memory."""
        for worker in self._workers:
            worker.stop()
            shutil.rmtree(worker.folder, ignore_errors=True)
        self._workers = []
