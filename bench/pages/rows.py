"""The rows: which pages, and where the wiki's main cache is, with the originals and with ours."""
import itertools
from statistics import median

import instructions
from wiki import ARTICLES

VIEWS = [f'index.php?title=Article_{number}' for number in range(ARTICLES)]
STARTUP = ['load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector']
PARSED_ANEW = '$wgParserCacheType = CACHE_NONE;\n'


class Row:
    """The same pages by the originals, by ours and by the originals once more, each page after the other: the order changes from page
    to page, and what disturbs one disturbs the others."""

    def __init__(self, title, pages, ours, memcached=False, settings=''):
        self.title, self._pages, self._ours, self._settings = title, pages, ours, settings
        self._peer = 'memcached' if memcached else 'apcu'

    def sides(self):
        return {'peer': self._peer, 'ours': self._ours, 'control': self._peer}

    def measure(self, place, progress):
        pages = self._pages[:2] if place.quick else self._pages
        sites = {side: place.site(cache, self._settings) for side, cache in self.sides().items()}
        want = self._warm(sites, pages)
        # `hits` cannot tell the short cut from the socket: the server counts both.
        if self._ours == 'leveret serve' and not sites['ours'].maps('served.arena'):
            raise RuntimeError(f"{self.title}: our PHP does not map the server's arena, so all went over the socket")
        before = {side: site.hits() for side, site in sites.items()}
        rounds, wrong, seen = [], 0, 0
        orders = itertools.cycle(itertools.permutations(sites))
        for number in range(place.rounds):
            progress(f'round {number + 1} of {place.rounds}')
            sums = {side: {'wall': 0, 'cpu': 0} for side in sites}
            for page in pages:
                for side in next(orders):
                    body, wall, cpu = sites[side].page(page)
                    wrong += body != want[page]
                    sums[side]['wall'] += wall
                    sums[side]['cpu'] += cpu
            seen += len(pages)
            rounds.append({side: {what: ns / len(pages) / 1e6 for what, ns in of.items()} for side, of in sums.items()})
        hits = {side: round((site.hits() - before[side]) / seen) for side, site in sites.items()}
        if not all(hits.values()):
            raise RuntimeError(f'{self.title}: a main cache answered no read: {hits}')
        place.stop_sites()
        return {'rounds': rounds, 'wrong': wrong, 'hits': hits}

    def _warm(self, sites, pages):
        """Each page often enough that OPcache and the caches have what they will have; the peer's last answers are what is right."""
        return {page: [site.page(page)[0] for _ in range(3) for site in (*sites.values(), sites['peer'])][-1] for page in pages}

    def count(self, place, progress):
        """Instructions of the PHP process for a page, and the cache's part of them, by callgrind. The median of some pages: now and
        then MediaWiki computes a value anew before its time."""
        pages = 1 if place.quick else 3
        counted, bodies = {}, set()
        for side, cache in self.sides().items():
            progress(f'{side} under callgrind')
            with place.callgrind() as callgrind:
                site = place.site(cache, self._settings, callgrind.command)
                for _ in range(3):
                    site.page(self._pages[0])
                counts = []
                for _ in range(pages):
                    with callgrind.counting(site.pid) as file:
                        bodies.add(site.page(self._pages[0])[0])
                    counts.append(instructions.count(file))
                place.stop_sites()
            counted[side] = [median(kind) for kind in zip(*counts)]
        if len(bodies) != 1:
            raise RuntimeError(f'{self.title}: under callgrind not all pages were the same')
        return counted


ROWS = {
    'apcu': Row('APCu: view of an article', VIEWS, 'leveret apcu'),
    'apcu-parse': Row('APCu: the same, parsed anew', VIEWS, 'leveret apcu', settings=PARSED_ANEW),
    'apcu-startup': Row('APCu: load.php, startup module', STARTUP * 10, 'leveret apcu'),
    'serve': Row('memcached | leveret serve: view', VIEWS, 'leveret serve', memcached=True),
    'arena': Row('memcached | arena: view', VIEWS, 'leveret arena', memcached=True),
    'arena-startup': Row('memcached | arena: load.php', STARTUP * 10, 'leveret arena', memcached=True),
}
