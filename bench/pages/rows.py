"""The rows: which pages, and where the wiki's main cache is, with the originals and with ours."""
from statistics import median

from bench.harness.callgrind import Callgrind, count
from bench.harness.report import compare, time
from bench.harness.rounds import order
from bench.pages.wiki import ARTICLES

VIEWS = [f'index.php?title=Article_{number}' for number in range(ARTICLES)]
STARTUP = ['load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector']
PARSED_ANEW = '$wgParserCacheType = CACHE_NONE;\n'


class Row:
    """The same pages by the originals, by ours and by the originals once more, each page after the other: the order changes from page
    to page, and what disturbs one disturbs the others."""

    def __init__(self, title, pages, ours, memcached=False, settings=''):
        self.title, self._pages, self._settings = title, pages, settings
        peer = 'memcached' if memcached else 'apcu'
        self._sides = {'peer': peer, 'ours': ours, 'control': peer}

    def run(self, setting, progress):
        rounds, hits = self._rounds(setting, progress)
        note = f'{hits["peer"]} reads answered by the main cache of the originals for a page, {hits["ours"]} by ours'
        results = [{**self._result('time', rounds, lambda answer: answer['wall'], time), 'note': note},
                   self._result('CPU time', rounds, lambda answer: answer['cpu'], time)]
        if setting.counts_instructions:
            counted = [self._count(setting, progress)]
            results += [self._result('instructions', counted, lambda answer: answer['all'], millions),
                        self._result('instructions in the cache', counted, lambda answer: answer['cache'], millions)]
        return results

    def _result(self, what, rounds, cost, shown):
        return {'title': f'{self.title}: {what}', **compare(rounds, cost, shown)}

    def _rounds(self, setting, progress):
        pages = self._pages[:2] if setting.quick else self._pages
        sites = {side: setting.site(cache, self._settings) for side, cache in self._sides.items()}
        want = self._warm(sites, pages)
        # `hits` cannot tell the short cut from the socket: the server counts both.
        if self._sides['ours'] == 'leveret serve' and not sites['ours'].maps('served.arena'):
            raise RuntimeError(f"{self.title}: our PHP does not map the server's arena, so all went over the socket")
        before = {side: site.hits() for side, site in sites.items()}
        rounds = []
        for number in range(setting.rounds):
            progress(f'round {number + 1} of {setting.rounds}')
            sums = {side: {'wall': 0, 'cpu': 0, 'wrong': 0} for side in sites}
            for at, page in enumerate(pages):
                for side in order(sites, number * len(pages) + at):
                    body, wall, cpu = sites[side].page(page)
                    sums[side]['wall'] += wall / len(pages)
                    sums[side]['cpu'] += cpu / len(pages)
                    sums[side]['wrong'] += body != want[page]
            rounds.append(sums)
        hits = {side: round((site.hits() - before[side]) / setting.rounds / len(pages)) for side, site in sites.items()}
        if not all(hits.values()):
            raise RuntimeError(f'{self.title}: a main cache answered no read: {hits}')
        setting.stop_sites()
        return rounds, hits

    def _warm(self, sites, pages):
        """Each page often enough that OPcache and the caches have what they will have; the peer's last answers are what is right."""
        return {page: [site.page(page)[0] for _ in range(3) for site in (*sites.values(), sites['peer'])][-1] for page in pages}

    def _count(self, setting, progress):
        """Instructions of the PHP process for a page, and the cache's part of them. The median of some pages: now and then MediaWiki
        computes a value anew before its time."""
        pages = 1 if setting.quick else 3
        counted, bodies = {}, set()
        for side, cache in self._sides.items():
            progress(f'{side} under callgrind')
            with Callgrind() as callgrind:
                site = setting.site(cache, self._settings, callgrind.command)
                for _ in range(3):
                    site.page(self._pages[0])
                counts = []
                for _ in range(pages):
                    with callgrind.counting(site.pid) as file:
                        bodies.add(site.page(self._pages[0])[0])
                    counts.append(count(file))
                setting.stop_sites()
            everything, in_cache = zip(*counts)
            counted[side] = {'all': median(everything), 'cache': median(in_cache), 'wrong': 0}
        if len(bodies) != 1:
            raise RuntimeError(f'{self.title}: under callgrind not all pages were the same')
        return counted


def millions(count):
    return f'{count / 1e6:.3f} M'


ROWS = {
    'apcu': Row('APCu: view of an article', VIEWS, 'leveret apcu'),
    'apcu-parse': Row('APCu: the same, parsed anew', VIEWS, 'leveret apcu', settings=PARSED_ANEW),
    'apcu-startup': Row('APCu: load.php, startup module', STARTUP * 10, 'leveret apcu'),
    'serve': Row('memcached | leveret serve: view', VIEWS, 'leveret serve', memcached=True),
    'arena': Row('memcached | arena: view', VIEWS, 'leveret arena', memcached=True),
    'arena-startup': Row('memcached | arena: load.php', STARTUP * 10, 'leveret arena', memcached=True),
}
