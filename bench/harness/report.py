"""What is shown: progress while it runs, a line for each result, the JSON file."""
import json
import sys

from bench.harness.rounds import is_even, spread, verdict

# Load of the last minute above which two processes of ours do not have two CPUs for themselves on a small machine.
BUSY = 0.5


class Progress:
    """One line on the terminal; nothing where there is none."""

    def __init__(self, rows):
        self._rows, self._row, self._name = rows, 0, ''
        self._shown = sys.stderr.isatty()

    def row(self, name):
        self._row += 1
        self._name = name
        self.round('preparing')

    def round(self, what):
        if self._shown:
            print(f'\r\x1b[K[{self._row}/{self._rows}] {self._name}: {what}', end='', file=sys.stderr, flush=True)

    def end(self):
        if self._shown:
            print('\r\x1b[K', end='', file=sys.stderr, flush=True)


def compare(rounds, cost, shown, at_most=None, peer='peer', ours='ours', control_of=None):
    """A result of rounds in turns. `cost` takes a side's answer; the side `control`, where there is one, does the same as `control_of`, or as the peer."""
    costs = [{side: cost(answer) for side, answer in answers.items()} for answers in rounds]
    spreads = {side: spread(each[side] for each in costs) for side in costs[0]}

    def ratio(side, base):
        return spread(each[side] / each[base] for each in costs)

    judged = ratio(ours, peer)
    control = ratio('control', control_of or peer) if 'control' in spreads else None
    return {
        'peer': shown(spreads[peer]['median']),
        'ours': shown(spreads[ours]['median']),
        'ratio': judged,
        'control': control,
        'target': '-' if at_most is None else f'<= {at_most:.3g}',
        'verdict': None if at_most is None else verdict(judged, control, at_most=at_most),
        'wrong': sum(answers[side]['wrong'] for answers in rounds for side in (peer, ours, 'control') if side in answers),
        'costs': spreads,
        'rounds': costs,
    }


def ns_per_call(answer):
    return answer['ns'] / answer['calls']


def time(ns):
    return f'{ns:.0f} ns' if ns < 1e4 else f'{ns / 1e3:.1f} us' if ns < 1e7 else f'{ns / 1e6:.1f} ms'


def print_head(about):
    for name, text in about.items():
        print(f'{name:<9}{text}')
    print('         A ratio is their median [10th percentile .. 90th percentile]: ours to peer, and as control peer to peer.')
    print('         Where a control differs from itself by more than its spread and 5 %, its row is unreliable.')
    if about['load'] > BUSY:
        print('         If that load was something else that still runs, the spread is wide and rows with several processes mean little.')
    print()
    _print_cells('row', 'peer', 'ours', 'ratio', 'control', 'target', 'verdict')


def print_result(result, quick):
    spans = (_span(result.get(name)) for name in ('ratio', 'control'))
    _print_cells(result['title'], result['peer'], result['ours'], *spans, result['target'], _judged(result, quick))
    if result.get('note'):
        print(f'    {result["note"]}', flush=True)


def _print_cells(*cells):
    print('{:<76}  {:>20}  {:>20}  {:<24}  {:<24}  {:<14}  {}'.format(*cells), flush=True)


def _span(ratios):
    if not ratios:
        return '-'
    median, p10, p90 = (f'{ratios[name]:.3f}' if ratios[name] >= 0.1 else f'{ratios[name]:.3g}' for name in ('median', 'p10', 'p90'))
    return median if p10 == p90 else f'{median} [{p10} .. {p90}]'


def _judged(result, quick):
    if result['wrong']:
        return f'{result["wrong"]} WRONG'
    if quick:
        return 'verified'
    uneven = result.get('control') and not is_even(result['control'])
    return ', '.join(filter(None, [result['verdict'], uneven and 'unreliable'])) or '-'


def write_json(path, about, results):
    with open(path, 'w') as file:
        json.dump({'about': about, 'rows': results}, file, indent=1)
        file.write('\n')
