"""What is shown: progress while it runs, the table, the JSON file."""
import json
import sys


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


def print_table(about, results, quick):
    for name in ('machine', 'system', 'php', 'peer', 'ours', 'command'):
        print(f'{name:<9}{about[name]}')
    print(f'load     {about["load"]:.1f} in the minute before')
    print(f'rounds   {about["rounds"]}; a ratio is their median [10th percentile .. 90th percentile]: ours to peer, and as control peer to peer')
    if about['load'] > BUSY:
        print('         If that was something else that still runs, the spread is wide and rows with several processes mean little.')
    print()
    header = ('row', 'peer', 'ours', 'ratio', 'control', 'target', 'verdict')
    lines = [(r['title'], r['peer'], r['ours'], _span(r.get('ratio')), _span(r.get('control')), r['target'], _verdict(r, quick)) for r in results]
    widths = [max(len(line[i]) for line in [header] + lines) for i in range(len(header))]
    for line in [header] + lines:
        print('  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    notes = [f'{r["title"]}: {r["note"]}' for r in results if r.get('note')]
    if notes:
        print('\n' + '\n'.join(notes))
    if quick:
        print('\nA quick run shows that the benchmark works. Its figures say nothing.')


def _span(ratios):
    if not ratios:
        return '-'
    return '{} [{} .. {}]'.format(*(_short(ratios[name]) for name in ('median', 'p10', 'p90')))


def _short(number):
    return f'{number:.2f}' if number >= 0.1 else f'{number:.5f}'


def _verdict(result, quick):
    if result['wrong']:
        return f'{result["wrong"]} WRONG'
    return 'verified' if quick or not result['verdict'] else result['verdict']


def write_json(path, about, command, results):
    with open(path, 'w') as file:
        json.dump({'about': about, 'command': command, 'rows': results}, file, indent=1)
        file.write('\n')
