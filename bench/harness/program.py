"""A benchmark as a program, from its options to its exit code."""
import argparse
import os
import shlex
import sys

from bench.harness.machine import describe
from bench.harness.report import Progress, print_head, print_result, write_json
from bench.harness.setting import BUILD


def arguments(name, doc, rows, rounds):
    parser = argparse.ArgumentParser(prog=f'./x bench {name}', description=doc, formatter_class=argparse.RawDescriptionHelpFormatter,
                                      epilog='rows:\n' + '\n'.join(f'  {name:<18}{row.title}' for name, row in rows.items()))
    parser.add_argument('rows', nargs='*', metavar='ROW', help='only rows whose name contains one of these words')
    parser.add_argument('--quick', action='store_true', help='few rounds, small sizes: shows that the benchmark runs and verifies, judges nothing')
    parser.add_argument('--rounds', type=int, default=rounds, help='rounds of each row (%(default)s; with --quick 2 at most)')
    parser.add_argument('--json', metavar='FILE', help='also write everything, each round included, to FILE')
    return parser


def add_php(parser):
    parser.add_argument('--php', default=f'php{os.environ.get("LEVERET_PHP", "8.2")}', help='the PHP to run (%(default)s)')
    parser.add_argument('--extension', default=BUILD / 'leveret.so', help='our extension (build/leveret.so)')


def run(parser, rows, setting_of):
    try:
        sys.exit(_run(parser, rows, setting_of))
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, RuntimeError) as error:
        sys.exit(f'{parser.prog}: {error}')


def _run(parser, rows, setting_of):
    options = parser.parse_args()
    chosen = [name for name in rows if not options.rows or any(word in name for word in options.rows)]
    if not chosen:
        parser.error(f'no row is named like {" or ".join(options.rows)}; the rows are {", ".join(rows)}')
    if options.quick:
        options.rounds = min(2, options.rounds)
    progress, results = Progress(len(chosen)), []
    with setting_of(options) as setting:
        about = {**describe(), **setting.about(), 'command': shlex.join([*parser.prog.split(), *sys.argv[1:]]), 'rounds': options.rounds}
        print_head(about)
        for name in chosen:
            progress.row(name)
            found = rows[name].run(setting, progress.round)
            setting.end_row()
            progress.end()
            for result in found:
                results.append({'name': name, 'title': rows[name].title, **result})
                print_result(results[-1], options.quick)
    if options.quick:
        print('\nA quick run shows that the benchmark works. Its figures say nothing.')
    if options.json:
        write_json(options.json, about, results)
    if any(result['wrong'] for result in results):
        print('There were WRONG answers.', file=sys.stderr)
        return 1
    return 0
