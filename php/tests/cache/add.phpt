--TEST--
add() stores only where nothing is
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
var_dump($cache->add('key', 1), $cache->add('key', 2), $cache->get('key'));
$cache->delete('key');
var_dump($cache->add('key', 3), $cache->get('key'));
?>
--EXPECT--
bool(true)
bool(false)
int(1)
bool(true)
int(3)
