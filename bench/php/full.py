"""Rows in which memory is full: what a store takes for which others have to go, on average and at its slowest."""
from compare import order, time
from figures import percentile, spread, verdict_at_most

# What the slowest of ten thousand stores may take.
RARE_NS = 20_000
FOR_EVER = [0]
MIXED = [0, 1, 60, 3600]


class Full:
    """Ours beside an APCu of the same size, which empties itself each time that it is full."""
    compares = True

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
        sides = {'peer': setting.peer(self._peer_ini), 'ours': setting.ours(self._ini), 'control': setting.peer(self._peer_ini)}
        for side, worker in sides.items():
            progress(f'filling {side}')
            worker.prepare('Full', self._quick if setting.quick else self._full)
            worker.measure()
        rounds = []
        for number in range(setting.rounds):
            progress(f'round {number + 1} of {setting.rounds}')
            rounds.append({side: sides[side].measure() for side in order(number)})
        setting.stop_workers()
        return self._result(rounds)

    def _result(self, rounds):
        times = {side: [measured[side]['ns'] / measured[side]['calls'] for measured in rounds] for side in ('peer', 'ours', 'control')}
        ratio = spread([ours / peer for ours, peer in zip(times['ours'], times['peer'])])
        control = spread([again / peer for again, peer in zip(times['control'], times['peer'])])
        single = {side: _single([measured[side] for measured in rounds]) for side in ('peer', 'ours')}
        single['floor'] = _single([measured['ours']['floor'] for measured in rounds])
        verdict = None
        if self._target is not None:
            verdict = verdict_at_most(ratio['median'], self._target, control)
            if single['ours']['p99.99'] > RARE_NS:
                verdict = 'missed' if verdict == 'missed' else 'mean met, p99.99 missed'
        return {
            'peer': time(spread(times['peer'])['median']),
            'ours': time(spread(times['ours'])['median']),
            'peer_ns': spread(times['peer']),
            'ours_ns': spread(times['ours']),
            'ratio': ratio,
            'control': control,
            'target': '-' if self._target is None else f'<= {self._target:.2f}, {RARE_NS // 1000} us',
            'verdict': verdict,
            'wrong': sum(answer['wrong'] for measured in rounds for answer in measured.values()),
            'note': f'stores one by one: ours {_told(single["ours"])}; the peer {_told(single["peer"])}; '
                    f'as much work on private memory {_told(single["floor"])}',
            'single': single,
            'rounds': [{side: {name: value for name, value in answer.items() if name not in ('slowest_ns', 'floor')}
                        for side, answer in measured.items()} for measured in rounds],
        }


def _single(answers):
    """High percentiles of all rounds together, from the slowest of each."""
    count = sum(answer['single'] for answer in answers)
    slowest = sorted(time for answer in answers for time in answer['slowest_ns'])

    def at(share):
        return slowest[max(0, len(slowest) - 1 - int(count * (1 - share)))]

    return {
        'median': percentile([answer['median_ns'] for answer in answers], 50),
        'p99.9': at(0.999),
        'p99.99': at(0.9999),
        'longest': slowest[-1],
        'left_out': sum(answer['left_out'] for answer in answers) / max(1, count),
    }


def _told(single):
    figures = ', '.join(f'{name} {time(single[name])}' for name in ('median', 'p99.9', 'p99.99', 'longest'))
    return f'{figures} (without the {single["left_out"]:.1%} beside which something else ran)'
