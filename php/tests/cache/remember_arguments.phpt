--TEST--
remember() wants a callable
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
show_exception(fn () => $cache->remember('key', 60, 'no such function'));
show_exception(fn () => $cache->remember('key', 'soon', fn () => 1));
?>
--EXPECT--
TypeError < Error: Leveret\Cache::remember(): Argument #3 ($compute) must be a valid callback, function "no such function" not found or invalid function name
TypeError < Error: Leveret\Cache::remember(): Argument #2 ($ttl) must be of type DateInterval|int|null, string given
