--TEST--
A walk by reference is refused
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 1);
show_exception(function () use ($cache) { foreach ($cache as &$value) { $value = 2; } });
?>
--EXPECT--
Error < : Leveret\Cache cannot be walked by reference: its values are copies, set() stores
