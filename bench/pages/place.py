"""Where this benchmark runs: the servers of bench/client, the wiki, and the PHPs that serve copies of it."""
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import machine
from server import PHP, Site
from setting import Setting
from wiki import UNPACKED, Wiki

PECL = "$wgMainCacheType = 'memcached-pecl';\n$wgMemCachedServers = ['{}'];\n"
ORIGINALS = ('igbinary', 'msgpack', 'memcached')


class Place(Setting):
    peers = {'apcu': ['apcu'], 'memcached': ORIGINALS}

    def __init__(self, options):
        super().__init__(options)
        self._wiki, self._sites = None, []

    def __exit__(self, *words):
        self.stop_sites()
        super().__exit__(*words)

    def about(self):
        versions = dict(line.split() for line in (UNPACKED / 'versions').read_text().splitlines())
        lines = super().about()
        return [lines[0], f'system   {machine._distribution()}, {PHP} with OPcache, MediaWiki {versions["mediawiki"]} on SQLite', *lines[2:]]

    def site(self, cache, settings, under=()):
        """A new copy of the wiki, whose main cache is `cache`, in a PHP of its own."""
        if not self._wiki:
            self._wiki = Wiki(self.php, self._new_folder())
        folder = self._new_folder()
        ours = ([self.extension], [f'leveret.dir={folder}'])
        # APCu beside memcached, as a site has both: MediaWiki keeps in it what belongs to one host.
        extensions, ini, lines, server = {
            'apcu': lambda: (['apcu'], [], '$wgMainCacheType = CACHE_ACCEL;\n', None),
            'leveret apcu': lambda: (*ours, '$wgMainCacheType = CACHE_ACCEL;\n', None),
            'memcached': lambda: (['apcu', *ORIGINALS], [], *self._pecl(self._memcached())),
            'leveret serve': lambda: (*ours, *self._pecl(self._serve(folder)[0])),
            'leveret arena': lambda: (*ours, PECL.format('arena:wiki'), ['arena:wiki', 0]),
        }[cache]()
        site = Site(folder, extensions, ini, self._wiki.copy(folder, lines + settings), server, under)
        self._sites.append(site)
        return site

    def _pecl(self, server):
        return PECL.format('{}:{}'.format(*server)), server

    def _new_folder(self):
        return Path(tempfile.mkdtemp(dir=self._folder))

    def stop_sites(self):
        for site in self._sites:
            site.stop()
        self._sites = []

    def callgrind(self):
        return Callgrind()


class Callgrind:
    """Counts a part of what a process does; the rest runs under valgrind and is not counted."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix='leveret-bench-')
        self._counts = Path(self._folder.name) / 'counts'
        self._dumps = 0
        self.command = ['valgrind', '--tool=callgrind', '--instr-atstart=no', f'--callgrind-out-file={self._counts}', '--log-file=/dev/null']
        return self

    @contextmanager
    def counting(self, pid):
        """What is done within is written to the file that it gives."""
        self._dumps += 1
        self._control('--instr=on', pid)
        yield Path(f'{self._counts}.{self._dumps}')
        self._control('--dump', pid)
        self._control('--instr=off', pid)

    def _control(self, what, pid):
        subprocess.run(['callgrind_control', what, str(pid)], check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def __exit__(self, *_):
        self._folder.cleanup()
