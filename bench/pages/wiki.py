"""Debian's MediaWiki, unmodified, on SQLite: installed once into a folder and filled with articles that link to each other."""
import os
import re
import shutil
import subprocess

from bench.harness.setting import BUILD

# What scripts/run.sh has unpacked.
UNPACKED = BUILD / 'pages'
CODE = UNPACKED / 'usr/share/mediawiki'
ARTICLES = 20
EXTENSIONS = ('dom', 'xml', 'simplexml', 'xmlreader', 'xmlwriter', 'mbstring', 'intl', 'fileinfo', 'ctype', 'iconv', 'pdo', 'pdo_sqlite', 'sqlite3', 'tokenizer', 'posix')

# What a site that has a cache sets. Jobs are left to cron, and what differs from one parse to the next is left out of the pages.
COMMON = '''
$wgJobRunRate = 0;
$wgEnableSidebarCache = true;
$wgEnableParserLimitReporting = false;
'''


class Wiki:
    """The wiki as it was installed; each site gets a copy of its own."""

    def __init__(self, php, folder):
        self._php, self._folder = php, folder
        self._maintain('install', '--dbtype=sqlite', f'--dbpath={folder}/data', '--dbname=wiki', f'--confpath={folder}', '--server=http://localhost',
                       '--scriptpath=', '--pass=correct-horse-battery', '--skins=Vector', 'Wiki', 'Admin', settings=None)
        pages = folder / 'pages'
        pages.mkdir()
        for name, text in _pages().items():
            (pages / f'{name}.txt').write_text(text)
        settings = self._settings(folder, COMMON)
        self._maintain('importTextFiles', '--overwrite', *sorted(pages.iterdir()), settings=settings)
        self._maintain('runJobs', settings=settings)

    def copy(self, folder, cache):
        """A copy in `folder` with these lines about its cache; its settings."""
        shutil.copytree(self._folder / 'data', folder / 'data')
        return self._settings(folder, COMMON + cache)

    def _settings(self, folder, lines):
        (folder / 'l10n').mkdir()
        text = (self._folder / 'LocalSettings.php').read_text().replace(f'{self._folder}/data', f'{folder}/data')
        path = folder / 'Settings.php'
        path.write_text(f'{text}{lines}$wgCacheDirectory = "{folder}/l10n";\n')
        return path

    def _maintain(self, name, *words, settings):
        command = [self._php, '-n', *(word for name in EXTENSIONS for word in ('-d', f'extension={name}')), CODE / 'maintenance' / f'{name}.php', *words]
        environment = {**os.environ, **({'MW_CONFIG_FILE': str(settings)} if settings else {})}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f'MediaWiki: {name}.php ended with {done.returncode}: {done.stdout}{done.stderr}')


def _pages():
    """Articles as they are: an infobox, sections, tables, notes by a template, links within the wiki, to what is missing and out of it."""
    pages = {
        'Template:Box': '{| class="wikitable"\n! colspan=2 | {{{name}}}\n|-\n| Height || {{{height}}} m\n|-\n| Founded || {{{year}}}\n|}<noinclude>A box.</noinclude>',
        'Template:Note': "<small>[{{{1}}} {{{2|a source}}}], read in {{{year|2022}}}</small>",
        'Template:See': "''See also: [[{{{1}}}]]''",
    }
    for number in range(ARTICLES):
        title = f'Article {number}'
        text = f'{{{{Box|name={title}|height={number * 37 + 100}|year={1500 + number}}}}}\n' + f"'''{title}''' is one of {ARTICLES} that were written to be read.\n"
        for section in range(12):
            other = f'Article {(number * 7 + section) % ARTICLES}'
            text += f'\n== Section {section} ==\n{{{{See|{other}}}}}\n'
            for paragraph in range(3):
                text += (f"It says ''something'' of [[{other}]], of [[Missing {section}|what nobody has written]], and '''more''' of number {number * section + paragraph}. "
                         f'A sentence without a link stands between those that have one. {{{{Note|http://example.org/{number}/{section}|source {paragraph}}}}}\n\n')
            text += '{| class="wikitable"\n' + ''.join(f'|-\n| row {row} || {row * section} || [[Article {row}]]\n' for row in range(6)) + '|}\n'
        pages[title] = text + '\n[[Category:Written]]\n'
    return pages


# What differs between two answers for the same page: the number of the request, how long it took, and when the page was parsed.
_OF_THE_REQUEST = re.compile(rb'"wgRequestId":"[^"]*|"wgBackendResponseTime":\d+|Saved in parser cache .* timestamp \d+')


def same_in_all(answer):
    """The body of an answer, without what differs from request to request."""
    head, _, body = answer.partition(b'\r\n\r\n')
    if b'Status:' in head or not body:
        raise RuntimeError(f'MediaWiki gave no page: {answer[:2000].decode(errors="replace")}')
    return _OF_THE_REQUEST.sub(b'', body)
