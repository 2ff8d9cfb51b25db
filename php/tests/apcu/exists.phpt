--TEST--
apcu_exists: whether a key exists; for a list the keys that exist
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', null);
var_dump(apcu_exists('a'), apcu_exists('b'), apcu_exists(['a', 'b']), apcu_exists([]));
--EXPECT--
bool(true)
bool(false)
array(1) {
  ["a"]=>
  bool(true)
}
array(0) {
}
