"""Rows in which one process calls: ours beside the peer, and the peer beside itself."""
from figures import spread, verdict_at_most


class Compare:
    compares = True

    def __init__(self, title, workload, target, full, quick, peer_full=None, peer_ini=None, our_ini=None):
        self.title = title
        self._workload = workload
        self._target = target
        self._full, self._peer_full, self._quick = full, peer_full or full, quick
        self._peer_ini, self._our_ini = peer_ini, our_ini

    def run(self, setting, progress):
        sides = {'peer': setting.peer(self._peer_ini), 'ours': setting.ours(self._our_ini), 'control': setting.peer(self._peer_ini)}
        for side, worker in sides.items():
            full = self._full if side == 'ours' else self._peer_full
            worker.prepare(self._workload, self._quick if setting.quick else full)
            worker.measure()   # warms up: memory that is touched for the first time is another measure
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
        return {
            'peer': time(spread(times['peer'])['median']),
            'ours': time(spread(times['ours'])['median']),
            'peer_ns': spread(times['peer']),
            'ours_ns': spread(times['ours']),
            'ratio': ratio,
            'control': control,
            'target': '-' if self._target is None else f'<= {self._target:.2f}' if self._target >= 0.1 else f'<= 1/{1 / self._target:.0f}',
            'verdict': None if self._target is None else verdict_at_most(ratio['median'], self._target, control),
            'wrong': sum(answer['wrong'] for measured in rounds for answer in measured.values()),
            'rounds': rounds,
        }


def order(number):
    """Whoever is first in a round has the coldest machine, so each is first in turn."""
    sides = ['peer', 'ours', 'control']
    return sides[number % 3:] + sides[:number % 3]


def time(ns):
    return f'{ns:.0f} ns' if ns < 10_000 else f'{ns / 1000:.1f} us'
