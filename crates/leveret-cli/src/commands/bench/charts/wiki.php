<?php
/* A wiki with articles: Debian's MediaWiki, unmodified, on SQLite. Who includes it has fail(). */
const ARTICLES = 20;
const MODULES = ['dom', 'xml', 'simplexml', 'xmlreader', 'xmlwriter', 'mbstring', 'intl', 'fileinfo', 'ctype', 'iconv', 'pdo', 'pdo_sqlite', 'sqlite3', 'tokenizer', 'posix'];

/** Words by which PHP loads what MediaWiki needs and this PHP has not loaded. */
function modules(): array
{
    $words = [];
    foreach (MODULES as $name) {
        if (!extension_loaded($name)) {
            $package = ['pdo_sqlite' => 'sqlite3', 'intl' => 'intl', 'mbstring' => 'mbstring', 'sqlite3' => 'sqlite3'][$name] ?? 'xml';
            is_file(ini_get('extension_dir') . "/$name.so") || fail("PHP has no extension $name: it is in Debian's php-$package");
            array_push($words, '-d', "extension=$name");
        }
    }
    return $words;
}

/** Lines of an infobox, sections, tables, notes by a template, and links within the wiki, to what is missing and out of it. */
function text(int $number, int $edits): string
{
    $text = "{{Box|name=Article $number|height=" . ($number * 37 + 100) . '|year=' . (1500 + $number) . "}}\n" . mark($number, $edits) . " begins it.\n";
    for ($section = 0; $section < 12; $section++) {
        $other = 'Article ' . ($number * 7 + $section) % ARTICLES;
        $text .= "\n== Section $section ==\n{{See|$other}}\n";
        for ($paragraph = 0; $paragraph < 3; $paragraph++) {
            $text .= "It says ''something'' of [[$other]], of [[Missing $section|what nobody has written]], and '''more''' of number " . $number * $section + $paragraph
                . ". A sentence without a link stands between those that have one. {{Note|https://example.org/$number/$section|source $paragraph}}\n\n";
        }
        $text .= "{| class=\"wikitable\"\n";
        for ($row = 0; $row < 6; $row++) {
            $text .= "|-\n| row $row || " . $row * $section . " || [[Article $row]]\n";
        }
        $text .= "|}\n";
    }
    return "$text\n{{End|" . mark($number, $edits) . "}}\n[[Category:Written]]\n";
}

/** What only this version of this article has. */
function mark(int $number, int $edits): string
{
    return 'mark' . md5("$number:$edits");
}

/** Runs one of MediaWiki's programs. */
function maintain(array $modules, string $mediawiki, string $settings, string $name, string ...$words): void
{
    $outputs = [['file', '/dev/null', 'r'], ['file', 'maintenance.log', 'w'], ['redirect', 1]];
    $command = [PHP_BINARY, '-n', '-d', 'memory_limit=-1', ...$modules, "$mediawiki/maintenance/$name.php", ...$words];
    $status = proc_close(proc_open($command, $outputs, $pipes, null, ['MW_CONFIG_FILE' => $settings] + getenv()));
    $status === 0 || fail("MediaWiki's $name.php ended with $status: " . file_get_contents('maintenance.log'));
}

/** Installs a wiki with its articles into a new folder. No cache takes part. */
function install(array $modules, string $mediawiki, string $folder, int $articles): void
{
    mkdir("$folder/pages", 0700, true);
    mkdir("$folder/data/l10n", 0700, true);
    maintain($modules, $mediawiki, "$folder/none.php", 'install', '--dbtype=sqlite', "--dbpath=$folder/data", '--dbname=wiki', "--confpath=$folder",
        '--server=//localhost', '--scriptpath=', '--pass=' . bin2hex(random_bytes(16)), '--skins=Vector', 'Wiki', 'Admin');
    $pages = [
        'Template:Box' => "{| class=\"wikitable\"\n! colspan=2 | {{{name}}}\n|-\n| Height || {{{height}}} m\n|-\n| Founded || {{{year}}}\n|}<noinclude>A box.</noinclude>",
        'Template:Note' => '<small>[{{{1}}} {{{2|a source}}}], read in {{{year|2022}}}</small>',
        'Template:See' => "''See also: [[{{{1}}}]]''",
        'Template:End' => "'''{{{1}}} ends it.'''",
    ];
    for ($number = 0; $number < $articles; $number++) {
        $pages["Article $number"] = text($number, 0);
    }
    $files = [];
    foreach ($pages as $title => $text) {
        file_put_contents($files[] = "$folder/pages/$title.txt", $text);
    }
    $settings = settings($folder, $folder, '$wgMainCacheType = CACHE_NONE;');
    maintain($modules, $mediawiki, $settings, 'importTextFiles', '--overwrite', ...$files);
    maintain($modules, $mediawiki, $settings, 'runJobs');
}

/** The settings of the wiki installed in `$from` for its copy in `$folder`, with more lines: their file. */
function settings(string $from, string $folder, string $lines): string
{
    $text = str_replace("$from/data", "$folder/data", file_get_contents("$from/LocalSettings.php"));
    file_put_contents("$folder/Settings.php", "$text\n\$wgCacheDirectory = '$folder/data/l10n';\n$lines");
    return "$folder/Settings.php";
}

function mediawiki(): string
{
    $mediawiki = getenv('LEVERET_MEDIAWIKI') ?: '/usr/share/mediawiki';
    is_file("$mediawiki/index.php") || fail("there is no MediaWiki in $mediawiki: Debian's package mediawiki");
    return $mediawiki;
}

function install_once(array $modules, string $mediawiki, string $wiki, int $articles): void
{
    if (!is_file("$wiki/installed")) {
        exec('rm -rf ' . escapeshellarg($wiki)); // what a turn has left that was ended in the middle
        install($modules, $mediawiki, $wiki, $articles);
        touch("$wiki/installed");
    }
}

/** What it keeps, into another folder. */
function copy_wiki(string $wiki, string $folder): void
{
    exec('cp -r ' . escapeshellarg("$wiki/data") . ' ' . escapeshellarg("$folder/data"), $output, $status);
    $status === 0 || fail('there is no room for a copy of the wiki');
}
