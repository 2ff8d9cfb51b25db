--TEST--
A key that looks like an integer is a string in the cache and an integer in PHP's arrays
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_store([7 => 'seven', '-3' => 'minus three']));
var_dump(apcu_fetch('7'), apcu_fetch('-3'));
$found = apcu_fetch(['7', '-3']);
var_dump($found['7'], $found[-3], array_keys(apcu_exists(['7'])));
var_dump(apcu_add([7 => 'again', 8 => 'new']));
--EXPECT--
array(0) {
}
string(5) "seven"
string(11) "minus three"
string(5) "seven"
string(11) "minus three"
array(1) {
  [0]=>
  int(7)
}
array(1) {
  [7]=>
  int(-1)
}
