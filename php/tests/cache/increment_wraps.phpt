--TEST--
increment() wraps from the largest integer to the smallest
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('count', PHP_INT_MAX);
var_dump($cache->increment('count') === PHP_INT_MIN, $cache->decrement('count') === PHP_INT_MAX);
$cache->set('count', -1);
var_dump($cache->decrement('count', PHP_INT_MIN) === PHP_INT_MAX);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
