--TEST--
Writing to a kept array changes only the script's copy
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$value = ['name' => 'value', 'list' => [3, 1, 2], 'nested' => ['a' => ['b' => 1]], 5 => 'five', 'float' => 1.5, 'null' => null, 'empty' => []];
apcu_store('a', $value);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
}
$b = $a;
$a['name'] = 'changed';
$a['nested']['a']['b']++;
$a['list'][] = 4;
$a['empty']['x']['y'] = 1;
unset($a['float']);
$a['name'] .= ' twice';
var_dump($b === $value, apcu_fetch('a') === $value, $a['nested'], $a['list'], $a['name'], decoded_arrays());
--EXPECT--
bool(true)
bool(true)
array(1) {
  ["a"]=>
  array(1) {
    ["b"]=>
    int(2)
  }
}
array(4) {
  [0]=>
  int(3)
  [1]=>
  int(1)
  [2]=>
  int(2)
  [3]=>
  int(4)
}
string(13) "changed twice"
int(1)
