--TEST--
Functions that change arrays in place change a copy
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
sort($a['list']);
ksort($a, SORT_STRING);
array_push($a, 'pushed');
array_pop($a);
array_shift($a);
array_unshift($a, 'first');
array_splice($a, 1, 1, ['x', 'y']);
array_walk_recursive($a, function (&$element) { $element = 'walked'; });
usort($a, fn ($x, $y) => 0);
shuffle($a);
var_dump(apcu_fetch('a') === $value, apcu_fetch('a')['list'], array_sum(apcu_fetch('a')['list']), array_merge(apcu_fetch('a'), ['name' => 'merged'])['name'], apcu_fetch('a') + ['more' => 1] === $value + ['more' => 1]);
--EXPECT--
bool(true)
array(3) {
  [0]=>
  int(3)
  [1]=>
  int(1)
  [2]=>
  int(2)
}
int(6)
string(6) "merged"
bool(true)
