"""Rows in which memory is full: what a store takes for which others have to go, on average and at its slowest."""
from statistics import median

from bench.harness.report import compare, ns_per_call, time
from bench.harness.rounds import in_turns

# What the slowest of ten thousand stores may take.
RARE_NS = 20_000
FOR_EVER = [0]
MIXED = [0, 1, 60, 3600]


class Full:
    """Ours beside an APCu of the same size, which empties itself each time that it is full."""

    def __init__(self, title, memory, bytes, full, target=None, lifetimes=FOR_EVER):
        self.title = title
        self._target = target
        self._ini = {'apc.shm_size': f'{memory}M'}
        # One and a half times what both can hold, so that both have been full before.
        fill = memory * 2**20 * 3 // 2 // (bytes + 100)
        self._full = {'bytes': bytes, 'fill': fill, 'lifetimes': lifetimes, **full}
        self._quick = {'bytes': bytes, 'fill': 20_000, 'lifetimes': lifetimes, 'calls': 2000, 'single': 2000}
        # As many buckets as there will be items: with APCu's own 4,096 it would mostly walk chains.
        self._peer_ini = self._ini | {'apc.entries_hint': str(fill)}

    def run(self, setting, progress):
        sides = setting.sides(self._peer_ini, self._ini)
        for side, worker in sides.items():
            progress(f'filling {side}')
            worker.prepare('Full', size=self._quick if setting.quick else self._full)
        rounds = in_turns({side: worker.measure for side, worker in sides.items()}, setting.rounds, progress)
        result = compare(rounds, ns_per_call, time, self._target)
        single = {side: _single([answers[side] for answers in rounds]) for side in ('peer', 'ours')}
        single['floor'] = _single([answers['ours']['floor'] for answers in rounds])
        if self._target is not None:
            result['target'] += f', {RARE_NS // 1000} us'
            if single['ours']['p99.99'] > RARE_NS and result['verdict'] != 'missed':
                result['verdict'] = 'mean met, p99.99 missed'
        note = f'stores one by one: ours {_told(single["ours"])}; the peer {_told(single["peer"])}; as much work on private memory {_told(single["floor"])}'
        return [{**result, 'note': note, 'single': single}]


def _single(answers):
    """High percentiles of all rounds together, from the slowest of each."""
    count = sum(answer['single'] for answer in answers)
    slowest = sorted(time for answer in answers for time in answer['slowest_ns'])

    def at(share):
        return slowest[max(0, len(slowest) - 1 - int(count * (1 - share)))]

    return {
        'median': median(answer['median_ns'] for answer in answers),
        'p99.9': at(0.999),
        'p99.99': at(0.9999),
        'longest': slowest[-1],
        'left_out': sum(answer['left_out'] for answer in answers) / max(1, count),
    }


def _told(single):
    figures = ', '.join(f'{name} {time(single[name])}' for name in ('median', 'p99.9', 'p99.99', 'longest'))
    return f'{figures} (without the {single["left_out"]:.1%} beside which something else ran)'
