--TEST--
An Item has key, value, token and times
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', ['value'], 60);
$item = $cache->getItem('key');
var_dump($item->key, $item->value, $item->cas > 0, abs($item->stored - time()) <= 60, $item->expires === $item->stored + 60);
show_exception(fn () => $item->value = 'other');
show_exception(fn () => new Leveret\Item);
?>
--EXPECT--
string(3) "key"
array(1) {
  [0]=>
  string(5) "value"
}
bool(true)
bool(true)
bool(true)
Error < : Cannot modify readonly property Leveret\Item::$value
Error < : Call to private Leveret\Item::__construct() from global scope
