--TEST--
clear() deletes all items, and later ones stay
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->setMultiple(['a' => 1, 'b' => 2]);
var_dump($cache->clear(), $cache->has('a'), $cache->has('b'));
$cache->set('a', 3);
var_dump($cache->get('a'), iterator_count($cache));
?>
--EXPECT--
bool(true)
bool(false)
bool(false)
int(3)
int(1)
