"""Rows about memory and about the start of a process. They have no peer, or one whose figure is only told."""
import json
import subprocess

from bench.harness.rounds import spread, verdict
from bench.php.setting import HERE

MIB = 2**20


class SmallestArena:
    """The smallest limit, in whole MiB, at which every item is still there; then the blocks that the file has."""

    def __init__(self, title, target):
        self.title = title
        self._target = target

    def run(self, setting, progress):
        size = {'items': 20_000 if setting.quick else 1_000_000, 'bytes': 100}
        limits = (8, 32) if setting.quick else (96, 512)
        ours = self._search(setting.ours, size, *limits, progress)
        peer = self._search(setting.peer, size, *limits, progress)
        return [{
            'peer': f'{peer["bytes"] / 1e6:.1f} MB',
            'ours': f'{ours["bytes"] / 1e6:.1f} MB',
            'target': f'<= {self._target / 1e6:.0f} MB',
            'verdict': verdict(spread([ours['bytes']]), at_most=self._target),
            'wrong': ours['wrong'] + peer['wrong'],
            'note': f'a limit of {ours["mib"]} MiB holds all, {ours["mib"] - 1} MiB does not. The peer reserves its {peer["mib"]} MiB at once.',
            'figures': {'ours': ours, 'peer': peer},
        }]

    def _search(self, start, size, too_small, enough, progress):
        """Bisects: `too_small` loses items (or is the least there may be), `enough` keeps them all."""
        best = self._try(start, size, enough, progress)
        if not best['all']:
            raise RuntimeError(f'{enough} MiB do not hold {size["items"]} items: {best["hits"]} are left')
        wrong = best['wrong']
        while enough - too_small > 1:
            middle = (too_small + enough) // 2
            tried = self._try(start, size, middle, progress)
            wrong += tried['wrong']
            if tried['all']:
                enough, best = middle, tried
            else:
                too_small = middle
        return {**best, 'wrong': wrong, 'mib': enough}

    def _try(self, start, size, mib, progress):
        progress(f'{mib} MiB')
        worker = start({'apc.shm_size': f'{mib}M'})
        answer = worker.prepare('Fill', size=size).measure()
        files = list(worker.folder.glob('*.arena'))
        answer['bytes'] = sum(file.stat().st_blocks * 512 for file in files) if files else mib * MIB
        answer['all'] = answer['hits'] == answer['items']
        worker.stop()
        for file in files:
            file.unlink()
        return answer


class _FreshProcesses:
    """Processes started one after the other at an arena that another process has filled and still has mapped."""

    def __init__(self, title, target):
        self.title = title
        self._target = target

    def _measure(self, setting, progress, shm_size, items, value_bytes, reads):
        progress('filling')
        ini = {'apc.shm_size': shm_size}
        filler = setting.ours(ini)
        filler.prepare('Fill', size={'items': items, 'bytes': value_bytes}).measure()
        command = setting.command('leveret', filler.folder, ini) + [str(HERE / 'attach.php'), str(items), str(value_bytes), str(reads)]
        rounds = []
        for number in range(setting.rounds):
            progress(f'process {number + 1} of {setting.rounds}')
            rounds.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        return rounds


class Attach(_FreshProcesses):
    def run(self, setting, progress):
        rounds = self._measure(setting, progress, '64M', 5000 if setting.quick else 50_000, 1000, 1)
        times = spread([measured['ns'] for measured in rounds])
        return [{
            'peer': '-',
            'ours': '{:.0f} us [{:.0f} .. {:.0f}]'.format(*(times[name] / 1000 for name in ('median', 'p10', 'p90'))),
            'target': f'<= {self._target // 1000} us',
            'verdict': verdict(times, at_most=self._target),
            'wrong': sum(measured['wrong'] for measured in rounds),
            'rounds': rounds,
        }]


class Faults(_FreshProcesses):
    def run(self, setting, progress):
        rounds = self._measure(setting, progress, '1G', 500, 10, 500)
        faults = spread([measured['faults'] for measured in rounds])
        return [{
            'peer': '-',
            'ours': '{median:.0f} [{p10:.0f} .. {p90:.0f}]'.format(**faults),
            'target': f'<= {self._target}',
            'verdict': verdict(faults, at_most=self._target),
            'wrong': sum(measured['wrong'] for measured in rounds),
            'note': 'without those of the first fetch, which opens the arena.',
            'rounds': rounds,
        }]


class Footprint(_FreshProcesses):
    def run(self, setting, progress):
        size = ('32M', 5000) if setting.quick else ('1G', 900_000)
        rounds = self._measure(setting, progress, *size, 1000, 100)
        grown = spread([(measured['private_kb'] + measured['tables_kb']) * 1024 for measured in rounds])
        tables = spread([measured['tables_kb'] for measured in rounds])
        return [{
            'peer': '-',
            'ours': '{:.2f} MB [{:.2f} .. {:.2f}]'.format(*(grown[name] / MIB for name in ('median', 'p10', 'p90'))),
            'target': f'<= {self._target // MIB} MB',
            'verdict': verdict(grown, at_most=self._target),
            'wrong': sum(measured['wrong'] for measured in rounds),
            'note': f'growth from before the first read; {tables["median"]:.0f} KB of it are page tables.',
            'rounds': rounds,
        }]
