--TEST--
apcu_fetch, apcu_exists: a list holds strings; anything else is passed over with a warning
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, '5' => 2]);
var_dump(apcu_fetch(['a', 5, null, []]));
var_dump(apcu_exists([1.5, 'a']));
--EXPECTF--
Warning: apcu_fetch(): apc_fetch() expects a string or array of strings. in %s on line %d

Warning: apcu_fetch(): apc_fetch() expects a string or array of strings. in %s on line %d

Warning: apcu_fetch(): apc_fetch() expects a string or array of strings. in %s on line %d
array(1) {
  ["a"]=>
  int(1)
}

Warning: apcu_exists(): apc_exists() expects a string or array of strings. in %s on line %d
array(1) {
  ["a"]=>
  bool(true)
}
