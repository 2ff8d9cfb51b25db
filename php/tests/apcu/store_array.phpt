--TEST--
apcu_store of an array stores all, takes $ttl, ignores $value, and returns the failures
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_store(['a' => 1, 'b' => 2], 'ignored', 60));
var_dump(apcu_fetch('a'), apcu_key_info('b')['ttl']);
var_dump(@apcu_store(['c' => 3, 'resource' => STDIN, 5 => STDIN]), apcu_fetch('c'), apcu_exists('resource'));
var_dump(apcu_store([]));
--EXPECT--
array(0) {
}
int(1)
int(60)
array(2) {
  ["resource"]=>
  int(-1)
  [5]=>
  int(-1)
}
int(3)
bool(false)
array(0) {
}
