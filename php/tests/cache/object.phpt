--TEST--
A cache object is neither copied nor serialized, and has no other properties
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
show_exception(fn () => clone $cache);
show_exception(fn () => serialize($cache));
show_exception(fn () => $cache->property = 1);
show_exception(fn () => $cache->set('self', $cache));
?>
--EXPECT--
Error < : Trying to clone an uncloneable object of class Leveret\Cache
Exception < : Serialization of 'Leveret\Cache' is not allowed
Error < : Cannot create dynamic property Leveret\Cache::$property
Exception < : Serialization of 'Leveret\Cache' is not allowed
