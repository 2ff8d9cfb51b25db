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
const EDITED_EVERY = 4;
const WARM_UPS = 2;

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

$mediawiki = mediawiki();
$modules = modules();
[$here, $wiki] = [getcwd(), dirname(getcwd()) . '/mediawiki'];
$articles = min(ARTICLES, (int) $count);
install_once($modules, $mediawiki, $wiki, $articles);
copy_wiki($wiki, $here);
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
