--TEST--
A value that cannot be stored frees the lease too
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$other = new OtherProcess($cache, 'key');
show_exception(fn () => $cache->remember('key', 60, fn () => fn () => 1));
echo $other->remember(), "\n";
?>
--EXPECT--
Exception < : Serialization of 'Closure' is not allowed
computed elsewhere
