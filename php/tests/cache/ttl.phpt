--TEST--
An item lives as long as its ttl says
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('never', 1);
$cache->set('hour', 1, 3600);
$cache->set('age', 1, PHP_INT_MAX);
$cache->set('second', 1, 1);
$item = fn ($key) => $cache->getItem($key);
var_dump($item('never')->expires, $item('hour')->expires - $item('hour')->stored, $item('age')->expires > time() + 86400 * 365 * 50);
do {
    usleep(10000);
} while ($item('second'));
var_dump($cache->has('second'), $cache->get('second'), $cache->has('hour'));
?>
--EXPECT--
NULL
int(3600)
bool(true)
bool(false)
NULL
bool(true)
