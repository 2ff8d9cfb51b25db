"""Rows in which processes read and write at the same time. What they share is held against processes that share nothing."""
import time
from functools import partial

from bench.harness.rounds import in_turns, spread, verdict

KEYS = 2000


class _Together:
    def __init__(self, title, target):
        self.title = title
        self._target = target

    def run(self, setting, progress):
        """Two memories a side: readers of one, and of both."""
        self._window_ns = (20 if setting.quick else 300) * 1_000_000
        sides = {'ours': [setting.ours(), setting.ours()], 'peer': [setting.peer(), setting.peer()]}
        for workers in sides.values():
            for worker in workers:
                worker.prepare('Readers', size={'keys': 200 if setting.quick else KEYS})
        rounds = in_turns({side: partial(self._round, *workers) for side, workers in sides.items()}, setting.rounds, progress)
        ours, peer = (_spreads(rounds, side) for side in ('ours', 'peer'))
        wrong = sum(answer['wrong'] for answers in rounds for answer in answers.values())
        return [{**self._result(ours, peer), 'control': ours['control'], 'wrong': wrong, 'rounds': rounds}]

    def _at_once(self, *commands):
        """Starts all together and waits for all; each command is (worker, readers, writer)."""
        start = time.monotonic_ns() + 5_000_000
        for worker, readers, writer in commands:
            worker.send('measure', readers=readers, writer=writer, start=start, end=start + self._window_ns)
        return [worker.receive() for worker, _, _ in commands]


class TwoReaders(_Together):
    def _round(self, one, other):
        """Apart is measured before and after: how far the two differ is what the measuring itself does."""
        alone = self._at_once((one, [0], False))
        apart = self._at_once((one, [0], False), (other, [0], False))
        shared = self._at_once((one, [0, 1], False))
        again = self._at_once((one, [0], False), (other, [0], False))
        rate = [sum(answer['per_ns'] for answer in answers) for answers in (alone, apart, shared, again)]
        cpu_rate = [sum(answer['per_cpu_ns'] for answer in answers) for answers in (alone, apart, shared, again)]
        return {
            'scaling': rate[2] / rate[0],
            'scaling_apart': (rate[1] + rate[3]) / 2 / rate[0],
            'relative': rate[2] / ((rate[1] + rate[3]) / 2),
            'relative_cpu': cpu_rate[2] / ((cpu_rate[1] + cpu_rate[3]) / 2),
            'control': rate[3] / rate[1],
            'wrong': sum(answer['wrong'] for answer in alone + apart + shared + again),
        }

    def _result(self, ours, peer):
        return {
            'peer': f'{peer["scaling"]["median"]:.2f} x one',
            'ours': f'{ours["scaling"]["median"]:.2f} x one',
            'ratio': ours['relative'],
            'target': f'>= {self._target}',
            'verdict': verdict(ours['relative'], ours['control'], at_least=self._target),
            'note': 'the ratio is the work of two readers of one arena to that of two readers that share nothing, who do {:.2f} times the work of one. '
                    "By CPU time, which leaves out other programs, it is {:.2f}. The peer's ratio is {:.2f}.".format(
                        ours['scaling_apart']['median'], ours['relative_cpu']['median'], peer['relative']['median']),
        }


class BesideWriter(_Together):
    def _round(self, one, other):
        alone = self._at_once((one, [0], False))
        foreign = self._at_once((one, [0], False), (other, [], True))
        beside = self._at_once((one, [0], True))
        time_of = [answers[0]['ns'] / answers[0]['calls'] for answers in (alone, foreign, beside)]
        cpu_time_of = [answers[0]['cpu_ns'] / answers[0]['calls'] for answers in (alone, beside)]
        return {
            'alone_ns': time_of[0],
            'slower': time_of[2] / time_of[0],
            'slower_cpu': cpu_time_of[1] / cpu_time_of[0],
            'control': time_of[1] / time_of[0],
            'written': beside[0]['written'],
            'wrong': sum(answer['wrong'] for answer in alone + foreign + beside),
        }

    def _result(self, ours, peer):
        # Two cores without a common cache fetch each changed line from each other. There a tenth of what the peer suffers is asked for.
        limit = max(1.3, min(self._target, peer['slower']['median'] / 10))
        return {
            'peer': f'{peer["alone_ns"]["median"] * peer["slower"]["median"]:.0f} ns',
            'ours': f'{ours["alone_ns"]["median"] * ours["slower"]["median"]:.0f} ns',
            'ratio': ours['slower'],
            'target': f'<= {limit:.1f}',
            'verdict': verdict(ours['slower'], ours['control'], at_most=limit),
            'note': "the ratio is the reader's time beside the writer to its time alone, {:.0f} ns; the control's writer has another arena. "
                    "By CPU time, which leaves out other programs, it is {:.2f}. The peer's ratio is {:.2f}, its control's {:.2f}.".format(
                        ours['alone_ns']['median'], ours['slower_cpu']['median'], peer['slower']['median'], peer['control']['median']),
        }


def _spreads(rounds, side):
    return {name: spread([measured[side][name] for measured in rounds]) for name in rounds[0][side]}
