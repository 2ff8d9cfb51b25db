"""Where this benchmark runs: the wiki, the servers, and the PHPs that serve copies of it."""
import os

from bench.harness.machine import extension_version, first_line
from bench.harness.setting import BUILD, Setting, built
from bench.pages.server import PHP, Site
from bench.pages.wiki import UNPACKED, Wiki

CLI = f'php{os.environ.get("LEVERET_PHP", "8.2")}'
PECL = "$wgMainCacheType = 'memcached-pecl';\n$wgMemCachedServers = ['{}'];\n"
ORIGINALS = ('igbinary', 'msgpack', 'memcached')


class Wikis(Setting):
    def __init__(self, options):
        super().__init__(options)
        self.counts_instructions = not options.no_count
        self._extension, self._command = built(BUILD / 'leveret.so'), built(BUILD / 'leveret')
        self._wiki, self._sites = None, []

    def about(self):
        versions = dict(line.split() for line in (UNPACKED / 'versions').read_text().splitlines())
        peers = ', '.join([_version('apcu'), _version(*ORIGINALS), first_line('memcached', '-h')])
        return {'php': f'{PHP} with OPcache, MediaWiki {versions["mediawiki"]} on SQLite', 'peers': peers}

    def site(self, cache, settings, under=()):
        """A new copy of the wiki, whose main cache is `cache`, in a PHP of its own."""
        if not self._wiki:
            self._wiki = Wiki(CLI, self.new_folder())
        folder = self.new_folder()
        ours = ([self._extension], [f'leveret.dir={folder}'])
        # APCu beside memcached, as a site has both: MediaWiki keeps in it what belongs to one host.
        extensions, ini, lines, server = {
            'apcu': lambda: (['apcu'], [], '$wgMainCacheType = CACHE_ACCEL;\n', None),
            'leveret apcu': lambda: (*ours, '$wgMainCacheType = CACHE_ACCEL;\n', None),
            'memcached': lambda: (['apcu', *ORIGINALS], [], *_pecl(self.memcached())),
            'leveret serve': lambda: (*ours, *_pecl(self.serve(self._command, folder))),
            'leveret arena': lambda: (*ours, PECL.format('arena:wiki'), ['arena:wiki', 0]),
        }[cache]()
        site = Site(folder, extensions, ini, self._wiki.copy(folder, lines + settings), server, under)
        self._sites.append(site)
        return site

    def end_row(self):
        super().end_row()
        self.stop_sites()

    def stop_sites(self):
        for site in self._sites:
            site.stop()
        self._sites = []


def _version(*extensions):
    php = [CLI, '-n', *(word for name in extensions for word in ('-d', f'extension={name}'))]
    return f'php-{extensions[-1]} {extension_version(php, extensions[-1])}'


def _pecl(server):
    return PECL.format('{}:{}'.format(*server)), server
