"""Two kinds of PHP processes: with APCu, and with ours."""
from pathlib import Path

from bench.harness.machine import extension_version, first_line
from bench.harness.setting import Setting, built

HERE = Path(__file__).resolve().parent

# Enough for every row but those that look for the smallest arena.
SHM_SIZE = '512M'
# APCu's own advice for many keys; without it its chains are long (row shuffled-default).
ENTRIES_HINT = '1000000'


class Php(Setting):
    def __init__(self, options):
        super().__init__(options)
        self._php, self._peer = options.php, options.peer
        self._extension = built(options.extension)

    def about(self):
        return {'php': first_line(self._php, '-n', '-v'), 'peer': f'APCu {self._version("apcu")}', 'ours': f'Leveret {self._version("leveret")}'}

    def _version(self, side):
        return extension_version(self.command(side, self.new_folder()), side)

    def command(self, side, folder, ini=None):
        """PHP with nothing but this side's extension; `ini` overrides."""
        settings = {
            'extension': str(self._extension) if side == 'leveret' else self._peer,
            'memory_limit': '-1',
            'display_errors': 'stderr',
            'apc.enable_cli': '1',
            'apc.shm_size': SHM_SIZE,
            'apc.entries_hint': ENTRIES_HINT,
        }
        if side == 'leveret':
            settings.update({'leveret.dir': str(folder), 'leveret.apcu_cli': 'shared', 'leveret.decoded_cache': '0'})
        settings.update(ini or {})
        return [self._php, '-n'] + [argument for name, value in settings.items() for argument in ('-d', f'{name}={value}')]

    def peer(self, ini=None):
        return self._start('apcu', ini)

    def ours(self, ini=None):
        return self._start('leveret', ini)

    def sides(self, peer_ini=None, our_ini=None):
        """With the peer a second time, as control."""
        return {'peer': self.peer(peer_ini), 'ours': self.ours(our_ini), 'control': self.peer(peer_ini)}

    def _start(self, side, ini):
        folder = self.new_folder()
        return self.start(self.command(side, folder, ini) + [str(HERE / 'worker.php'), side], folder)
