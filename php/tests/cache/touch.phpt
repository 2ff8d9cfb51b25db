--TEST--
touch() gives an item a new end
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 'value', 60);
$life = fn () => $cache->getItem('key')->expires;
var_dump($cache->touch('key', 3600), $life() > time() + 60, $cache->get('key'));
var_dump($cache->touch('key'), $life());
var_dump($cache->touch('key', 60), $life() <= time() + 60);
var_dump($cache->touch('missing', 60), $cache->has('missing'));
?>
--EXPECT--
bool(true)
bool(true)
string(5) "value"
bool(true)
NULL
bool(true)
bool(true)
bool(false)
bool(false)
