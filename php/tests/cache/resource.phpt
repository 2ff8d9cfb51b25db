--TEST--
A resource is refused
--INI--
leveret.serializer=php
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
show_exception(fn () => $cache->set('key', STDIN));
show_exception(fn () => $cache->remember('key', null, fn () => STDIN));
var_dump($cache->has('key'));
$cache->set('key', ['file' => STDIN]);
var_dump($cache->get('key'));
?>
--EXPECT--
Leveret\UnsupportedValueException < Leveret\Exception: A value of type resource cannot be stored (under the key "key"): store what it was made from
Leveret\UnsupportedValueException < Leveret\Exception: A value of type resource cannot be stored (under the key "key"): store what it was made from
bool(false)
array(1) {
  ["file"]=>
  int(0)
}
