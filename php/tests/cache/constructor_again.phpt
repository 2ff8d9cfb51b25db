--TEST--
A failed second construction leaves the object as it was
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 1);
show_exception(fn () => $cache->__construct('arena:../x'));
var_dump($cache->get('key'));
?>
--EXPECTF--
Leveret\ArenaException < Leveret\Exception: %s
int(1)
