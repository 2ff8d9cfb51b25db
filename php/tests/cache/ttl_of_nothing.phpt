--TEST--
A ttl of 0 or less leaves nothing under the key
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
foreach ([0, -1, PHP_INT_MIN, DateInterval::createFromDateString('-1 day')] as $ttl) {
    $cache->set('key', 'old');
    $cache->set('key', 'new', $ttl);
    var_dump($cache->get('key'));
}
$cache->set('key', 'old');
var_dump($cache->touch('key', 0), $cache->has('key'));
var_dump($cache->remember('key', 0, fn () => 'computed'), $cache->has('key'));
?>
--EXPECT--
NULL
NULL
NULL
NULL
bool(true)
bool(false)
string(8) "computed"
bool(false)
