--TEST--
A miss gives the default
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$default = new stdClass;
var_dump($cache->get('key'), $cache->get('key', $default) === $default);
var_dump($cache->has('key'), $cache->getItem('key'));
?>
--EXPECT--
NULL
bool(true)
bool(false)
NULL
