--TEST--
References into a kept array make copies
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
$inner = &$a['nested']['a'];
$inner['b'] = 'by reference';
function change(array &$array) { $array['list'] = 'changed'; }
change($a);
foreach ($a as $key => &$element) {
    if ($key === 'name') {
        $element = 'in foreach';
    }
}
unset($element);
[$first, , $third] = apcu_fetch('a')['list'];
extract(apcu_fetch('a'));
$name .= '!';
var_dump($a['nested'], $a['list'], $a['name'], $first, $third, $name, apcu_fetch('a') === $value);
--EXPECT--
array(1) {
  ["a"]=>
  &array(1) {
    ["b"]=>
    string(12) "by reference"
  }
}
string(7) "changed"
string(10) "in foreach"
int(3)
int(2)
string(6) "value!"
bool(true)
