--TEST--
apcu_delete: true when removed; for a list the keys that were not removed
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2, 'c' => 3]);
var_dump(apcu_delete('a'), apcu_delete('a'), apcu_exists('a'));
var_dump(apcu_delete(['b', 'missing', 5, null, 'c']));
var_dump(apcu_exists(['b', 'c']), apcu_delete(12), apcu_delete([]));
--EXPECTF--
bool(true)
bool(false)
bool(false)

Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance in %s on line %d

Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance in %s on line %d
array(3) {
  [0]=>
  string(7) "missing"
  [1]=>
  int(5)
  [2]=>
  NULL
}

Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance in %s on line %d
array(0) {
}
bool(false)
array(0) {
}
