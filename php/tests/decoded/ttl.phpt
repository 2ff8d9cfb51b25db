--TEST--
A kept array ends with its item
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [1, 2], 4);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
}
wait_until(fn () => !apcu_exists('a'));
var_dump(decoded_arrays(), apcu_fetch('a'), $a);
--EXPECT--
int(1)
bool(false)
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
