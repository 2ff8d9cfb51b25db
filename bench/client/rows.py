"""The rows: what is called, on which servers, and what it must be."""


class Row:
    """Ours beside both peers, on the same servers."""
    shown_in = 'us'

    def __init__(self, title, workload, target, calls, keys=50, servers='tcp', unit='ns', udp=False, quick=None):
        self.title, self.workload, self.target, self.unit = title, workload, target, unit
        self._servers, self._udp, self._calls, self._keys = servers, udp, calls, keys
        self.scale = 1000 if unit == 'ns' else 1

    def start(self, setting):
        servers = setting.servers(self._servers)
        return {side: self._worker(setting, side, servers) for side in ('memcache', 'memcached', 'ours')}

    def rounds(self, setting, progress):
        sides = self.start(setting)
        for worker in sides.values():
            worker.measure()   # warms up, and connects
        names = list(sides)
        rounds = []
        for number in range(setting.rounds):
            progress(f'round {number + 1} of {setting.rounds}')
            first = number % len(names)
            rounds.append({name: sides[name].measure() for name in names[first:] + names[:first]})
        setting.stop()
        return rounds

    def _worker(self, setting, side, servers):
        size = {'calls': max(5, self._calls // 50) if setting.quick else self._calls, 'keys': self._keys, 'bytes': 100}
        return setting.worker(side).prepare(self.workload, servers=servers, udp=self._udp, **size)


class Instructions(Row):
    """User-space instructions of the whole process for one call: what callgrind counts for twice as many calls, less the rest."""
    shown_in = 'instr'
    sides = ('memcache', 'memcached', 'ours')

    def __init__(self, title, workload, target, calls, **how):
        super().__init__(title, workload, target, calls, unit='instructions', **how)

    def rounds(self, setting, progress):
        calls = 50 if setting.quick else self._calls
        counted = {}
        for side in self.sides:
            who, servers = ('apcu', []) if side == 'yardstick' else (side, setting.servers(self._servers))
            progress(f'{who} under callgrind')
            once, wrong = setting.count_instructions(who, self.workload, servers, self._keys, calls)
            twice, wrong_too = setting.count_instructions(who, self.workload, servers, self._keys, 2 * calls)
            counted[side] = {'instructions': twice - once, 'calls': calls, 'wrong': wrong + wrong_too}
        return [counted]


class OneServerOrFour(Row):
    """50 keys over four servers, against the same keys on one: both ours; and as floor the bare conversation, likewise. The target is for
    ours as a multiple of the floor in the same rounds: how much of it is the machine's differs from one to the next."""

    def start(self, setting):
        one, four = setting.servers('tcp'), setting.servers('four')
        return {'yardstick': self._worker(setting, 'ours', one), 'ours': self._worker(setting, 'ours', four),
                'floor of one': self._worker(setting, 'bare', one), 'floor of four': self._worker(setting, 'bare', four)}


class InMemory(Row):
    """Our Memcached where it reads shared memory, against our apcu_fetch."""

    def start(self, setting):
        return {'yardstick': self._worker(setting, 'apcu', []), 'ours': self._worker(setting, 'ours', setting.servers(self._servers))}


class InMemoryInstructions(Instructions):
    """The same in instructions, which do not depend on the machine's other guests."""
    sides = ('yardstick', 'ours')


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
    'get-cpu': Row('get, TCP, CPU time of the client', 'get', 1.0, 4000, keys=1, unit='cpu_us'),
    'set-cpu': Row('set, TCP, CPU time of the client', 'set', 1.0, 4000, keys=1, unit='cpu_us'),
    'get-unix-cpu': Row('get, Unix socket, CPU time of the client', 'get', 1.0, 4000, keys=1, servers='unix', unit='cpu_us'),
    'set-unix-cpu': Row('set, Unix socket, CPU time of the client', 'set', 1.0, 4000, keys=1, servers='unix', unit='cpu_us'),
    'get-instr': Instructions('get, TCP, instructions of the process', 'get', 0.9, 1000, keys=1),
    'set-instr': Instructions('set, TCP, instructions of the process', 'set', 0.9, 1000, keys=1),
    'get-unix-instr': Instructions('get, Unix socket, instructions of the process', 'get', 0.9, 1000, keys=1, servers='unix'),
    'set-unix-instr': Instructions('set, Unix socket, instructions of the process', 'set', 0.9, 1000, keys=1, servers='unix'),
    # MemcachePool asks by UDP for lists only: get('key') goes over TCP, whatever port was given.
    'udp': Row('get of a list of one, UDP', 'getMany', 1.0, 2000, keys=1, udp=True),
    'udp-tcp': Row('get, UDP (MemcachePool: TCP)', 'get', None, 2000, keys=1, udp=True),
    'udp50': Row('getMulti of 50, UDP', 'getMany', 1.0, 50, udp=True),
    'connect-cpu': Row('connect, get, close: CPU time of the client', 'connect', 1.0, 500, keys=1, unit='cpu_us'),
    'connect-arena': InMemory('connect, get, close on an arena (beside apcu_fetch)', 'connect', None, 500, keys=1, servers='arena'),
    'arena': InMemory('get on an arena (beside apcu_fetch)', 'get', None, 20_000, keys=1, servers='arena'),
    'arena-instr': InMemoryInstructions('the same, instructions of the process', 'get', 1.3, 1000, keys=1, servers='arena'),
    'short-cut': InMemory('get through the short cut (beside apcu_fetch)', 'get', None, 20_000, keys=1, servers='serve'),
    'short-cut-instr': InMemoryInstructions('the same, instructions of the process', 'get', 1.3, 1000, keys=1, servers='serve'),
}
