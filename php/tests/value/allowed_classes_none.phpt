--TEST--
leveret.allowed_classes=-: no object at all; arrays are as ever
--INI--
apc.enable_cli=1
leveret.allowed_classes=-
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [new stdClass, [1, 2]]);
$copy = apcu_fetch('a');
var_dump(get_class($copy[0]), $copy[1]);
--EXPECT--
string(22) "__PHP_Incomplete_Class"
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
