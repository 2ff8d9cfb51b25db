"""The Ruby processes, each with one provider, and the two servers."""
from functools import cache
from pathlib import Path

from bench.harness.machine import first_line
from bench.harness.setting import BUILD, ROOT, Setting, built

HERE = Path(__file__).resolve().parent


class Rubies(Setting):
    def about(self):
        dalli = first_line('ruby', '-e', "require 'dalli'; puts Dalli::VERSION")
        return {'ruby': first_line('ruby', '-v'), 'peers': f'Dalli {dalli}, {first_line("memcached", "-V")}'}

    def calls(self, full):
        return full // 20 if self.quick else full

    def worker(self, kind, place):
        paths = [part for path in (ROOT / 'ruby/lib', built(BUILD / 'ruby/lib')) for part in ('-I', str(path))]
        return self.start(['env', f'LEVERET_DIR={self.folder}', 'ruby', *paths, str(HERE / 'worker.rb'), kind, self._address(place)])

    @cache
    def _address(self, place):
        """Of a server, which is started when a row first asks for it."""
        if place not in ('memcached', 'serve'):
            return place
        host, port = self.memcached() if place == 'memcached' else self.serve(built(BUILD / 'leveret'), self.folder)
        return f'{host}:{port}'
