--TEST--
A resource is not stored; inside an array it becomes 0
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_store('a', STDIN), apcu_exists('a'));
var_dump(apcu_store('a', [STDIN]), apcu_fetch('a'));
--EXPECTF--
Warning: apcu_store(): Cannot store resources in apcu cache in %s on line %d
bool(false)
bool(false)
bool(true)
array(1) {
  [0]=>
  int(0)
}
