--TEST--
Redis: KEYS and the scans: iterators, prefixes, retries, modes in which they are refused, as php-redis 6.2.0 does
--SKIPIF--
<?php if (!shell_exec('command -v redis-server')) die('skip there is no redis-server'); ?>
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../redis.inc';

$r = redis();

function walk(Redis $r, callable $scan): array
{
    $it = null;
    $found = [];
    for ($pages = 0; ($page = $scan($it)) !== false && $pages < 10000; $pages++) {
        foreach ($page as $key => $value) {
            $found[] = is_int($key) ? $value : "$key=$value";
        }
    }
    sort($found);
    return [count($found), substr(sha1(implode(',', $found)), 0, 8), $it];
}

for ($i = 0; $i < 300; $i++) {
    $r->mset(["key$i" => $i, "other$i" => $i]);
    $r->hSet('h', "f$i", $i);
    $r->sAdd('s', "m$i");
    $r->zAdd('z', $i / 2, "m$i");
}
tell('a walk', fn () => walk($r, function (&$it) use ($r) { return $r->scan($it); }));
tell('with a pattern', fn () => walk($r, function (&$it) use ($r) { return $r->scan($it, 'key1*'); }));
tell('with a count', fn () => walk($r, function (&$it) use ($r) { return $r->scan($it, '*', 50); }));
tell('with a type', fn () => walk($r, function (&$it) use ($r) { return $r->scan($it, '*', 100, 'hash'); }));
tell('fields', fn () => walk($r, function (&$it) use ($r) { return $r->hScan('h', $it, 'f1*'); }));
tell('members', fn () => walk($r, function (&$it) use ($r) { return $r->sScan('s', $it, 'm2*', 100); }));
tell('scores', fn () => walk($r, function (&$it) use ($r) { return $r->zScan('z', $it); }));
tell('from 0', function () use ($r) { $it = 0; return [$r->scan($it), $it]; });
tell('from "0"', function () use ($r) { $it = '0'; return [$r->scan($it), $it]; });
tell('a hash that is missing', function () use ($r) { $it = null; return [$r->hScan('none', $it), $it]; });
tell('a small hash', function () use ($r) { $r->hSet('small', 'a', 1); $it = null; return [$r->hScan('small', $it), $it, $r->hScan('small', $it)]; });
$r->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
tell('with retries no page is empty', function () use ($r) {
    for ($it = null, $empty = 0; ($page = $r->scan($it, 'key29*')) !== false; ) {
        $empty += !$page && $it !== 0; // the last one may be
    }
    return $empty;
});
tell('the option', fn () => [$r->getOption(Redis::OPT_SCAN), $r->setOption(Redis::OPT_SCAN, Redis::SCAN_NORETRY), $r->getOption(Redis::OPT_SCAN), $r->setOption(Redis::OPT_SCAN, 99), $r->getOption(Redis::OPT_SCAN)]);
$r->setOption(Redis::OPT_PREFIX, 'ke');
tell('the prefix is none of its pattern', fn () => walk($r, function (&$it) use ($r) { return $r->scan($it, 'y1*'); }));
tell('unless SCAN_PREFIX', fn () => [$r->setOption(Redis::OPT_SCAN, Redis::SCAN_PREFIX), $r->getOption(Redis::OPT_SCAN), walk($r, function (&$it) use ($r) { return $r->scan($it, 'y1*'); }), walk($r, function (&$it) use ($r) { return $r->scan($it); })]);
tell('and SCAN_NOPREFIX again', fn () => [$r->setOption(Redis::OPT_SCAN, Redis::SCAN_NOPREFIX), $r->getOption(Redis::OPT_SCAN), walk($r, function (&$it) use ($r) { return $r->scan($it, 'y1*'); })]);
tell('keys() has it in pattern and results', function () use ($r) { $keys = $r->keys('y29*'); sort($keys); return array_slice($keys, 0, 3); });
tell('keys() of nothing', fn () => $r->keys('nothing*'));
$r->setOption(Redis::OPT_PREFIX, '');
/* Fatal error: its place is nobody's concern. */
ini_set('display_errors', 0);
register_shutdown_function(function () { echo error_get_last()['message'], "\n"; });
$r->multi();
$it = null;
$r->hScan('h', $it);
?>
--EXPECT--
a walk: [603, '1cacecf4', 0]
with a pattern: [111, '1f25dd2c', 0]
with a count: [603, '1cacecf4', 0]
with a type: [1, '27d5482e', 0]
fields: [111, 'd9a1ed23', 0]
members: [111, '329f2a01', 0]
scores: [300, 'f8366db1', 0]
from 0: [false, 0]
from "0": [false, '0']
a hash that is missing: [[], 0]
a small hash: [['a' => '1'], 0, false]
with retries no page is empty: 0
the option: [1, true, 0, false, 0]
the prefix is none of its pattern: [0, 'da39a3ee', 0]
unless SCAN_PREFIX: [true, 2, [111, '1f25dd2c', 0], [0, 'da39a3ee', 0]]
and SCAN_NOPREFIX again: [true, 0, [0, 'da39a3ee', 0]]
keys() has it in pattern and results: ['key29', 'key290', 'key291']
keys() of nothing: []
Redis::hscan(): Can't call SCAN commands in multi or pipeline mode!
