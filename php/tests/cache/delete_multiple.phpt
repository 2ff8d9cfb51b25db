--TEST--
deleteMultiple() counts the keys that existed
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->setMultiple(['a' => 1, 'b' => 2, 'c' => 3]);
var_dump($cache->deleteMultiple(['a', 'missing', 'c']), $cache->deleteMultiple(new ArrayIterator(['b', 'b'])));
var_dump(iterator_count($cache));
?>
--EXPECT--
int(2)
int(1)
int(0)
