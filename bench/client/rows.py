"""The rows: what is called, on which servers, and what it must be."""
from bench.harness.report import compare, ns_per_call, time
from bench.harness.rounds import in_turns, spread, verdict


def cpu_ns_per_call(answer):
    return answer['cpu_us'] * 1000 / answer['calls']


class Row:
    """Ours beside both peers, on the same servers."""
    sides = {'memcache': 'memcache', 'memcached': 'memcached', 'ours': 'leveret', 'control': 'memcached'}
    shown = staticmethod(time)

    def __init__(self, title, workload, target, calls, keys=50, servers='tcp', cost=ns_per_call, udp=False):
        self.title, self._workload, self._target, self._cost = title, workload, target, cost
        self._servers, self._udp, self._calls, self._keys = servers, udp, calls, keys

    def run(self, setting, progress):
        rounds = self._rounds(setting, progress)
        wrong = {side: sum(answers[side]['wrong'] for answers in rounds) for side in rounds[0]}
        # A peer that answers wrongly is not a peer to be compared with, and no control either.
        rounds = [{side: answer for side, answer in answers.items() if side == 'ours' or not wrong[side]} for answers in rounds]
        peers = [side for side in rounds[0] if side not in ('ours', 'control')]
        if not peers:
            raise RuntimeError(f'{self.title}: no peer answers rightly')
        best = min(peers, key=lambda side: spread(self._cost(answers[side]) for answers in rounds)['median'])
        result = compare(rounds, self._cost, self.shown, self._target, peer=best, control_of=self.sides.get('control'))
        note = ', '.join(f'{side} gave {count} wrong answers' for side, count in wrong.items() if count and side != 'ours')
        return [{**result, 'peer': f'{result["peer"]} {best}', 'note': note}]

    def _rounds(self, setting, progress):
        servers = setting.servers(self._servers)
        workers = {side: self._worker(setting, client, servers) for side, client in self.sides.items()}
        return in_turns({side: worker.measure for side, worker in workers.items()}, setting.rounds, progress)

    def _worker(self, setting, client, servers):
        calls = max(5, self._calls // 50) if setting.quick else self._calls
        return setting.client(client).prepare(self._workload, servers=servers, udp=self._udp, calls=calls, keys=self._keys, bytes=100)


class Instructions(Row):
    """User-space instructions of the whole process for one call: what callgrind counts for twice as many calls, less the rest."""
    sides = {'memcache': 'memcache', 'memcached': 'memcached', 'ours': 'leveret'}
    shown = staticmethod('{:.0f}'.format)

    def __init__(self, title, workload, target, calls, **how):
        super().__init__(title, workload, target, calls, cost=lambda answer: answer['instructions'] / answer['calls'], **how)

    def _rounds(self, setting, progress):
        calls = 50 if setting.quick else self._calls
        counted = {}
        for side, client in self.sides.items():
            progress(f'{client} under callgrind')
            servers = setting.servers(self._servers)
            once, wrong = setting.count_instructions(client, self._workload, servers, self._keys, calls)
            twice, wrong_too = setting.count_instructions(client, self._workload, servers, self._keys, 2 * calls)
            counted[side] = {'instructions': twice - once, 'calls': calls, 'wrong': wrong + wrong_too}
        return [counted]


class OneServerOrFour(Row):
    """50 keys over four servers, against the same keys on one: both ours; and as floor the bare conversation, likewise. The ratio is ours
    as a multiple of the floor in the same rounds: how much of it is the machine's differs from one to the next."""

    def run(self, setting, progress):
        one, four = setting.servers('tcp'), setting.servers('four')
        workers = {side: self._worker(setting, client, servers) for side, (client, servers) in {
            'peer': ('leveret', one), 'ours': ('leveret', four), 'control': ('leveret', one),
            'floor of one': ('bare', one), 'floor of four': ('bare', four)}.items()}
        rounds = in_turns({side: worker.measure for side, worker in workers.items()}, setting.rounds, progress)
        result = compare(rounds, ns_per_call, time, self._target)
        floors = [each['floor of four'] / each['floor of one'] for each in result['rounds']]
        ratio = spread(each['ours'] / each['peer'] / floor for each, floor in zip(result['rounds'], floors))
        note = f'four servers take {result["ratio"]["median"]:.2f} times as long as one, bare sockets {spread(floors)["median"]:.2f} times; the ratio is that of both'
        return [{**result, 'ratio': ratio, 'verdict': verdict(ratio, result['control'], at_most=self._target), 'note': note}]


class InMemory(Row):
    """Our Memcached where it reads shared memory, against our apcu_fetch."""
    sides = {'apcu': 'apcu', 'ours': 'leveret', 'control': 'apcu'}


class InMemoryInstructions(Instructions):
    """The same in instructions, which do not depend on the machine's other guests."""
    sides = {'apcu': 'apcu', 'ours': 'leveret'}


ROWS = {
    'set50': Row('setMulti of 50, TCP', 'setMany', 0.8, 200),
    'get50': Row('getMulti of 50, TCP', 'getMany', 0.9, 400),
    'get50-unix': Row('getMulti of 50, Unix socket', 'getMany', 0.9, 400, servers='unix'),
    'delete50': Row('deleteMulti of 50, TCP', 'deleteMany', 0.9, 200),
    'set50-four': Row('setMulti of 50 over 4 servers (peers / 1.5)', 'setMany', 0.67, 200, servers='four'),
    'get50-four': Row('getMulti of 50 over 4 servers', 'getMany', None, 400, servers='four'),
    'one-four-set': OneServerOrFour('setMulti of 50: 4 servers against one', 'setMany', 1.3, 200),
    'one-four-get': OneServerOrFour('getMulti of 50: 4 servers against one', 'getMany', 1.3, 400),
    'get': Row('get, TCP', 'get', None, 4000, keys=1),
    'get-cpu': Row('get, TCP, CPU time of the client', 'get', 1.0, 4000, keys=1, cost=cpu_ns_per_call),
    'set-cpu': Row('set, TCP, CPU time of the client', 'set', 1.0, 4000, keys=1, cost=cpu_ns_per_call),
    'get-unix-cpu': Row('get, Unix socket, CPU time of the client', 'get', 1.0, 4000, keys=1, servers='unix', cost=cpu_ns_per_call),
    'set-unix-cpu': Row('set, Unix socket, CPU time of the client', 'set', 1.0, 4000, keys=1, servers='unix', cost=cpu_ns_per_call),
    'get-instr': Instructions('get, TCP, instructions of the process', 'get', 0.9, 1000, keys=1),
    'set-instr': Instructions('set, TCP, instructions of the process', 'set', 0.9, 1000, keys=1),
    'get-unix-instr': Instructions('get, Unix socket, instructions of the process', 'get', 0.9, 1000, keys=1, servers='unix'),
    'set-unix-instr': Instructions('set, Unix socket, instructions of the process', 'set', 0.9, 1000, keys=1, servers='unix'),
    # MemcachePool asks by UDP for lists only: get('key') goes over TCP, whatever port was given.
    'udp': Row('get of a list of one, UDP', 'getMany', 1.0, 2000, keys=1, udp=True),
    'udp-tcp': Row('get, UDP (MemcachePool: TCP)', 'get', None, 2000, keys=1, udp=True),
    'udp50': Row('getMulti of 50, UDP', 'getMany', 1.0, 50, udp=True),
    'connect-cpu': Row('connect, get, close: CPU time of the client', 'connect', 1.0, 500, keys=1, cost=cpu_ns_per_call),
    'connect-arena': InMemory('connect, get, close on an arena (beside apcu_fetch)', 'connect', None, 500, keys=1, servers='arena'),
    'arena': InMemory('get on an arena (beside apcu_fetch)', 'get', None, 20_000, keys=1, servers='arena'),
    'arena-instr': InMemoryInstructions('the same, instructions of the process', 'get', 1.3, 1000, keys=1, servers='arena'),
    'short-cut': InMemory('get through the short cut (beside apcu_fetch)', 'get', None, 20_000, keys=1, servers='serve'),
    'short-cut-instr': InMemoryInstructions('the same, instructions of the process', 'get', 1.3, 1000, keys=1, servers='serve'),
}
