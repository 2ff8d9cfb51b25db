"""The rows: what is called, and by whom. A provider is a kind of worker.rb's and where it finds its items."""
from functools import partial

from bench.harness.report import compare, time
from bench.harness.rounds import in_turns

# Called so often in a round; ten times that in memory, where a round would else be over before the clock has moved.
CALLS = 2000

DALLI = {
    'Dalli': ('dalli', 'memcached'), 'control': ('dalli', 'memcached'), 'bare socket': ('socket', 'memcached'), 'ours, memcached': ('ours', 'memcached'),
    'ours, short cut': ('ours', 'serve'), 'ours, arena': ('ours', 'arena:dalli'), 'Leveret::Cache': ('cache', 'bench'), 'Ruby alone': ('hash', ''),
}
RAILS = {
    'mem_cache_store': ('mem_cache_store', 'memcached'), 'control': ('mem_cache_store', 'memcached'), 'ours, memcached': ('leveret_store', 'memcached'),
    'ours, short cut': ('leveret_store', 'serve'), 'ours, arena': ('leveret_store', 'arena:rails'), 'memory_store': ('memory_store', ''),
}


class Call:
    """Each provider beside the first."""

    def __init__(self, call, providers, keys=1):
        self.title, self._call, self._providers, self._keys = call, call, providers, keys

    def run(self, setting, progress):
        turns = {}
        for side, (kind, place) in self._providers.items():
            calls = setting.calls(CALLS) // self._keys * (1 if place == 'memcached' else 10)
            turns[side] = partial(setting.worker(kind, place).prepare(self._call).measure, calls=calls)
        rounds = in_turns(turns, setting.rounds, progress)
        peer, _, *sides = self._providers
        return [{'title': f'{self.title}: {side}{what}', **compare(rounds, lambda answer: answer[ns], time, peer=peer, ours=side)}
                for side in sides for what, ns in (('', 'ns'), (', CPU time', 'cpu_ns'))]


class Pair:
    """How much longer a process reads beside another one that reads the same keys than alone."""

    def __init__(self, call):
        self.title, self._call = f'two processes, {call}', call

    def run(self, setting, progress):
        self._calls = setting.calls(100 * CALLS)
        sides = ('Leveret::Cache', 'ours, arena', 'Ruby alone')
        turns = {side: partial(self._round, *(setting.worker(*DALLI[side]).prepare(self._call) for _ in range(2))) for side in sides}
        rounds = in_turns(turns, setting.rounds, progress)
        return [{'title': f'{self.title}: {side}', **compare(rounds, lambda answer: answer['longer'], '{:.3f} x alone'.format, peer='Ruby alone', ours=side)}
                for side in sides[:-1]]

    def _round(self, *both):
        alone = both[0].measure(calls=self._calls)
        for worker in both:
            worker.send('measure', calls=self._calls)
        beside = [worker.receive() for worker in both]
        return {'longer': sum(answer['ns'] for answer in beside) / 2 / alone['ns'], 'wrong': sum(answer['wrong'] for answer in (alone, *beside))}


ROWS = {
    **{call: Call(call, DALLI) for call in ('set_plain', 'set_long', 'set_object', 'get_plain', 'get_long', 'get_object', 'missing', 'increment')},
    **{call: Call(call, DALLI, keys=50) for call in ('multiget', 'multiget_objects', 'quiet_sets')},
    **{call: Call(call, RAILS) for call in ('rails_read', 'rails_fetch', 'rails_write', 'rails_count')},
    'rails_read_multi': Call('rails_read_multi', RAILS, keys=50),
    **{f'two {call}': Pair(call) for call in ('get_plain', 'get_long', 'get_object')},
}
