--TEST--
References inside one value are kept, those to the outside are not
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$shared = 1;
$value = ['x' => &$shared, 'y' => &$shared, 'z' => 1];
apcu_store('a', $value);
$shared = 2;
$copy = apcu_fetch('a');
$copy['x'] = 9;
var_dump($copy, apcu_fetch('a')['y']);
--EXPECT--
array(3) {
  ["x"]=>
  &int(9)
  ["y"]=>
  &int(9)
  ["z"]=>
  int(1)
}
int(1)
