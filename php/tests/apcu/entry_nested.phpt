--TEST--
apcu_entry: the callback may use the cache, and apcu_entry for the same key
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_entry('a', function ($key) {
    apcu_store('b', 1);
    apcu_inc('b');
    return apcu_entry('c', fn () => apcu_entry('a', fn () => 'inner') . ' ' . apcu_fetch('b'));
}));
var_dump(apcu_fetch(['a', 'b', 'c']));
--EXPECT--
string(7) "inner 2"
array(3) {
  ["a"]=>
  string(5) "inner"
  ["b"]=>
  int(2)
  ["c"]=>
  string(7) "inner 2"
}
