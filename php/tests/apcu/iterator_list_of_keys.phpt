--TEST--
APCUIterator: a list of keys picks those that are there
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2, 'c' => 3]);
$items = iterator_to_array(new APCUIterator(['c', 'missing', 'a', 'a', 7, null], APC_ITER_VALUE));
ksort($items);
var_dump($items, iterator_to_array(new APCUIterator([])));
--EXPECT--
array(2) {
  ["a"]=>
  array(1) {
    ["value"]=>
    int(1)
  }
  ["c"]=>
  array(1) {
    ["value"]=>
    int(3)
  }
}
array(0) {
}
