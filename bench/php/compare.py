"""Rows in which one process calls: ours beside the peer, and the peer beside itself."""
from bench.harness.report import compare, ns_per_call, time
from bench.harness.rounds import in_turns


class Compare:
    def __init__(self, title, workload, target, full, quick, peer_full=None, peer_ini=None, our_ini=None):
        self.title = title
        self._workload = workload
        self._target = target
        self._full, self._peer_full, self._quick = full, peer_full or full, quick
        self._peer_ini, self._our_ini = peer_ini, our_ini

    def run(self, setting, progress):
        sides = setting.sides(self._peer_ini, self._our_ini)
        for side, worker in sides.items():
            full = self._full if side == 'ours' else self._peer_full
            worker.prepare(self._workload, size=self._quick if setting.quick else full)
        rounds = in_turns({side: worker.measure for side, worker in sides.items()}, setting.rounds, progress)
        return [compare(rounds, ns_per_call, time, self._target)]
