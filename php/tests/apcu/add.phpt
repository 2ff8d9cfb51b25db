--TEST--
apcu_add stores only missing keys
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_add('a', 1), apcu_add('a', 2), apcu_fetch('a'));
var_dump(apcu_add(['a' => 3, 'b' => 4]), apcu_fetch(['a', 'b']));
apcu_delete('a');
var_dump(apcu_add('a', 5), apcu_fetch('a'));
--EXPECT--
bool(true)
bool(false)
int(1)
array(1) {
  ["a"]=>
  int(-1)
}
array(2) {
  ["a"]=>
  int(1)
  ["b"]=>
  int(4)
}
bool(true)
int(5)
