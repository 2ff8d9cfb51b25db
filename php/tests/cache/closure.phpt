--TEST--
A value that serialize() refuses throws its exception, and is not stored
--INI--
leveret.serializer=php
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 'old');
show_exception(fn () => $cache->set('key', fn () => 1));
show_exception(fn () => $cache->set('key', [new class {}]));
show_exception(fn () => $cache->add('new', (function () { yield; })()));
var_dump($cache->get('key'), $cache->has('new'));
?>
--EXPECT--
Exception < : Serialization of 'Closure' is not allowed
Exception < : Serialization of 'class@anonymous' is not allowed
Exception < : Serialization of 'Generator' is not allowed
string(3) "old"
bool(false)
