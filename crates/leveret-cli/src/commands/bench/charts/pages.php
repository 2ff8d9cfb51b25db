<?php
/*
 * One turn of one cache: php turn.php VIEWS ADDRESS FOLDER
 *
 * Prints {"seconds", "client_cpu", "server_cpu", "asked", "done", "right", "said"}. nginx and php-fpm serve an unmodified MediaWiki on SQLite,
 * whose settings have the cache's lines. The first turn of a run installs it beside the turns' folder; each turn has a copy. Each article is
 * viewed, some are edited through the web, all are viewed until the caches are warm, and then the views are timed. A view is right when it has that
 * article's text as it is now, whole, and nobody has parsed it again without need: a cache that loses it has no figure.
 */
[, $count, $address] = $argv;
const ARTICLES = 20;
const EDITED_EVERY = 4;
const WARM_UPS = 2;
const MODULES = ['dom', 'xml', 'simplexml', 'xmlreader', 'xmlwriter', 'mbstring', 'intl', 'fileinfo', 'ctype', 'iconv', 'pdo', 'pdo_sqlite', 'sqlite3', 'tokenizer', 'posix'];

// Jobs are left to cron, as a site with a cache does. The edits of this turn are more than a visitor may make in a minute.
const SETTINGS = <<<'SETTINGS'
$wgJobRunRate = 0;
$wgEnableSidebarCache = true;
$wgRateLimits = [];
$wgShowExceptionDetails = true;
$wgMainCacheType = null;
/*OPEN*/
$wgMainCacheType ?? exit('[null, null]');
// check_cache() asks: the main cache's type, what it has kept, and with what this request replaces that. MediaWiki takes no other cache for this one.
if (isset($_GET['bench-kept'])) {
    $wgExtensionFunctions[] = function (): never {
        $cache = MediaWiki\MediaWikiServices::getInstance()->getMainWANObjectCache();
        $key = $cache->makeKey('bench-kept');
        exit(json_encode([$GLOBALS['wgMainCacheType'], $cache->get($key), $cache->set($key, $_GET['bench-kept'], 60)]));
    };
}

SETTINGS;

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

/** A page. A new connection for each takes less than a hundredth of it. */
function ask(string $target, ?array $form = null): string
{
    $body = http_build_query($form ?? []);
    $stream = @stream_socket_client('unix://http') ?: fail('nginx does not take a connection');
    fwrite($stream, ($form === null ? 'GET' : 'POST') . " /$target HTTP/1.0\r\nHost: localhost\r\n"
        . ($form === null ? '' : "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " . strlen($body) . "\r\n") . "\r\n$body");
    stream_set_timeout($stream, 30);
    [$head, $page] = explode("\r\n\r\n", stream_get_contents($stream), 2) + ['', ''];
    preg_match('~^HTTP/1.1 200 ~', $head)
        || fail($head === '' ? 'a page has not come within 30 s' : 'a page is ' . strtok($head, "\r") . ': ' . strip_tags(preg_replace('~<style.*?</style>~s', '', $page)));
    return $page;
}

function view(int $number): string
{
    return ask("index.php?title=Article_$number");
}

/** Whether it is this version of this article, from its first line to its end. */
function is_right(string $page, int $number, int $edits): bool
{
    $mark = mark($number, $edits);
    return str_contains($page, "$mark begins it.") && str_contains($page, "<b>$mark ends it.</b>") && str_ends_with(rtrim($page), '</html>');
}

/** When it was parsed, as MediaWiki says in a comment. */
function parsed(string $page): ?string
{
    return preg_match('~Saved in parser cache with key \S+ and timestamp (\d+)~', $page, $found) ? $found[1] : null;
}

/** Whether the main cache keeps what a request stores until the next. A wiki without one is to be without. */
function check_cache(): void
{
    ask('index.php?bench-kept=first');
    [$type, $kept] = json_decode(ask('index.php?bench-kept=second')) ?? fail('MediaWiki does not say what its cache keeps');
    $type !== null || fail('its "open" sets no $wgMainCacheType: it is not a cache of MediaWiki');
    $is_none = $type === 0; // CACHE_NONE
    $kept === ($is_none ? false : 'first') || fail('MediaWiki does not find in its main cache what the request before has stored');
}

$mediawiki = getenv('LEVERET_MEDIAWIKI') ?: '/usr/share/mediawiki';
is_file("$mediawiki/index.php") || fail("there is no MediaWiki in $mediawiki: Debian's package mediawiki");
$modules = modules();
[$here, $wiki] = [getcwd(), dirname(getcwd()) . '/mediawiki'];
$articles = min(ARTICLES, (int) $count);
if (!is_file("$wiki/installed")) {
    exec('rm -rf ' . escapeshellarg($wiki)); // what a turn has left that was ended in the middle
    install($modules, $mediawiki, $wiki, $articles);
    touch("$wiki/installed");
}
exec('cp -r ' . escapeshellarg("$wiki/data") . ' ' . escapeshellarg("$here/data"), $output, $status);
$status === 0 || fail('there is no room for a copy of the wiki');
$settings = settings($wiki, $here, '$address = ' . var_export($address, true) . ";\n" . SETTINGS);
$params = ['SCRIPT_FILENAME' => "$mediawiki\$uri", 'SCRIPT_NAME' => '$uri', 'REQUEST_URI' => '$request_uri', 'QUERY_STRING' => '$query_string',
    'REQUEST_METHOD' => '$request_method', 'CONTENT_TYPE' => '$content_type', 'CONTENT_LENGTH' => '$content_length', 'SERVER_PROTOCOL' => '$server_protocol',
    'SERVER_NAME' => 'localhost', 'SERVER_PORT' => '80', 'REMOTE_ADDR' => '127.0.0.1', 'MW_CONFIG_FILE' => $settings];
$pids = start_web(implode("\n", array_map(fn (string $name, string $value): string => "fastcgi_param $name \"$value\";", array_keys($params), $params)), $modules);

check_cache();
[$edits, $parsed] = [array_fill(0, $articles, 0), []];
for ($number = 0; $number < $articles; $number++) {
    is_right(view($number), $number, 0) || fail("article $number is wrong before anybody has edited it");
}
for ($number = 0; $number < $articles; $number += EDITED_EVERY) {
    $form = ['action' => 'edit', 'title' => "Article $number", 'text' => text($number, ++$edits[$number]), 'token' => '+\\', 'format' => 'json'];
    $answer = ask('api.php', $form);
    (json_decode($answer, true)['edit']['result'] ?? null) === 'Success' || fail("MediaWiki does not take an edit: $answer");
}
// What has been edited is parsed now. Others may be too, whatever the cache: articles that were parsed within a second or two before the edits were.
// MediaWiki counts in whole seconds: what is parsed in that of an edit counts as older, and is parsed once more in a later one.
time_sleep_until(time() + 1);
for ($pass = 0; $pass < WARM_UPS; $pass++) {
    for ($number = 0; $number < $articles; $number++) {
        $parsed[$number] = parsed(view($number)) ?? fail('MediaWiki keeps no article in its parser cache');
    }
}

$requests = [];
for ($i = 0; $i < (int) $count; $i++) {
    $requests[] = $i % $articles;
}
mt_srand(7);
shuffle($requests);
$servers = file('server/pids', FILE_IGNORE_NEW_LINES);
[$right, $wrong, $again, $pages] = [0, 0, 0, []];
[$client, $server] = [cpu($pids), cpu($servers)];
$begin = hrtime(true);
foreach ($requests as $number) {
    $pages[] = view($number);
}
$seconds = (hrtime(true) - $begin) / 1e9;
[$client, $server] = [cpu($pids) - $client, cpu($servers) - $server];
foreach ($pages as $i => $page) {
    $number = $requests[$i];
    if (!is_right($page, $number, $edits[$number])) {
        $wrong++;
    } elseif (parsed($page) !== $parsed[$number]) {
        $again++;
    } else {
        $right++;
    }
}
check_cache();
$said = end_web();
$why = array_filter([$wrong ? "$wrong pages are not those articles as they are now" : '', $again ? "$again were parsed again though nobody had edited them" : '', (string) $said]);
echo json_encode(['seconds' => $seconds, 'client_cpu' => $client, 'server_cpu' => $servers === [] ? null : $server, 'asked' => (int) $count,
    'done' => (int) $count, 'right' => $right, 'said' => implode('; ', $why) ?: null]), "\n";
