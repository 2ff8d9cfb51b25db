<?php
// One side of seed 004 with its own servers: the script, and the pages. Words: NAME CALLS FOLDER ANSWER LEVERET. This process has the settings
// that are measured. Writes seconds as JSON to ANSWER, for demo/seed004/table.php.

[, $name, $calls, $folder, $answer, $leveret] = $argv;

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(1);
}

require dirname(__DIR__) . '/provider.php';
require __DIR__ . '/jobs.php';
mkdir($folder, 0700);
$user = fileowner('/proc/self') === 0 ? ['-u', 'root'] : [];
$servers = $name === 'leveret'
    ? [[$leveret, 'serve', '-l', '127.0.0.1', '-p', 'MEMCACHED', '--redis', 'REDIS', '--dir', ini_get('leveret.dir'), '--arena', 'seed004', ...$user]]
    : [['redis-server', '--bind', '127.0.0.1', '--port', 'REDIS', '--save', '', '--dir', $folder], ['memcached', '-l', '127.0.0.1', '-p', 'MEMCACHED', '-U', '0', ...$user]];
$words = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
$php = array_slice($words, 0, array_search($argv[0], $words, true));
$seed = new Seed004($folder, $php, $servers, (int) $calls);
$begin = hrtime(true);
$seconds = ['script' => $seed->script('script'), 'connections' => $seed->script('connections')];
foreach (['redis', 'memcached', 'filesystem', 'empty'] as $page) {
    $seed->page($page, 10);
    $seconds[$page] = $seed->page($page, intdiv((int) $calls, 10));
}
$seed->end();
file_put_contents($answer, json_encode($seconds));
printf(" %.1f s\n", (hrtime(true) - $begin) / 1e9);
