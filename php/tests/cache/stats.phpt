--TEST--
stats() counts
--INI--
leveret.memory=8M
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 'value');
$cache->get('key');
$cache->get('missing');
$cache->increment('count');
$cache->touch('key', 60);
$cache->delete('key');
$stats = $cache->stats();
echo implode(' ', array_keys($stats)), "\n";
foreach (['items', 'hits', 'misses', 'sets', 'deletes', 'increments', 'touches', 'evicted', 'flushes', 'attached'] as $name) {
    echo "$name $stats[$name]\n";
}
var_dump(dirname($stats['path']) === arena_dir(), $stats['memory_limit'] === 8 << 20, $stats['memory_allocated'] <= 8 << 20, abs($stats['created'] - time()) < 60);
?>
--EXPECT--
path key_max value_max memory_limit memory_allocated memory_free items hits misses sets deletes increments touches evicted expired recoveries retries lock_waits flushes created attached
items 1
hits 1
misses 1
sets 2
deletes 1
increments 1
touches 1
evicted 0
flushes 0
attached 1
bool(true)
bool(true)
bool(true)
bool(true)
