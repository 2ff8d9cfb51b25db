--TEST--
remember() computes a missing value, stores it and gives it
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$compute = function (string ...$arguments) { echo 'computing ', implode(',', $arguments), "\n"; return ['value']; };
var_dump($cache->remember('key', 60, $compute) === ['value'], $cache->remember('key', 60, $compute) === ['value']);
var_dump($cache->getItem('key')->expires > time());
var_dump($cache->remember('other', null, 'strtoupper'), $cache->getItem('other')->expires);
?>
--EXPECT--
computing key
bool(true)
bool(true)
bool(true)
string(5) "OTHER"
NULL
