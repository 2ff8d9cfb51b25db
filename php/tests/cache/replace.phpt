--TEST--
replace() stores only where something is
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
var_dump($cache->replace('key', 1), $cache->has('key'));
$cache->set('key', 2);
var_dump($cache->replace('key', 3), $cache->get('key'));
?>
--EXPECT--
bool(false)
bool(false)
bool(true)
int(3)
