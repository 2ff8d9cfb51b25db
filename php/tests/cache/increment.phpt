--TEST--
increment() and decrement() count integers
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('count', 5);
var_dump($cache->increment('count'), $cache->increment('count', 10), $cache->decrement('count', 20), $cache->get('count'));
var_dump($cache->increment('new', 3), $cache->decrement('other new', 3));
?>
--EXPECT--
int(6)
int(16)
int(-4)
int(-4)
int(3)
int(-3)
