--TEST--
A value that is too large is refused; no other item is lost
--INI--
apc.enable_cli=1
memory_limit=256M
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2]);
var_dump(apcu_store('a', str_repeat('x', 32 << 20)), apcu_fetch('b'));
var_dump(apcu_store(['a' => str_repeat('x', 32 << 20), 'c' => 3]), apcu_fetch('c'), apcu_add('d', str_repeat('x', 32 << 20)), apcu_exists('d'));
--EXPECT--
bool(false)
int(2)
array(1) {
  ["a"]=>
  int(-1)
}
int(3)
bool(false)
bool(false)
