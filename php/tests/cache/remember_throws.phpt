--TEST--
An exception in the callback of remember() goes through, nothing is stored, the next one computes
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$other = new OtherProcess($cache, 'key');
show_exception(fn () => $cache->remember('key', 60, fn () => throw new DomainException('no value')));
var_dump($cache->has('key'));
echo $other->remember(), "\n", $cache->get('key'), "\n";
?>
--EXPECT--
DomainException < LogicException: no value
bool(false)
computed elsewhere
computed elsewhere
