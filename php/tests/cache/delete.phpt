--TEST--
delete() returns whether the key existed
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', null);
var_dump($cache->delete('key'), $cache->has('key'), $cache->delete('key'));
?>
--EXPECT--
bool(true)
bool(false)
bool(false)
