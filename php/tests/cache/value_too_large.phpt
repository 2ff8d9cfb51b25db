--TEST--
A value that is too large is refused, and the old one is gone
--INI--
leveret.memory=16M
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$max = $cache->stats()['value_max'];
$cache->set('key', 'old');
show_exception(fn () => $cache->set('key', str_repeat('v', $max + 1)));
var_dump($cache->get('key'));
$cache->set('other', str_repeat('v', $max));
var_dump(strlen($cache->get('other')) === $max);
?>
--EXPECTF--
Leveret\ValueTooLargeException < Leveret\Exception: The value of "key" takes %d bytes and this arena takes %d for one value: store it in parts, or use a larger arena (leveret.memory sizes new ones)
NULL
bool(true)
