--TEST--
apcu_store: more keys than the arena is asked for at once, numbers among them, holes in the array
--INI--
apc.enable_cli=1
--FILE--
<?php
$values = [];
for ($i = 0; $i < 1000; $i++) {
    $values["key$i"] = "value $i";
}
// Around the border of two groups of keys, and a whole group.
foreach ([0, 31, 32, 33, ...range(100, 170)] as $hole) {
    unset($values["key$hole"]);
}
$values[7] = 'seven';
$values[-3] = 'three less than none';
$values += ['last' => 'one'];
var_dump(apcu_store($values));
$wrong = array_filter(array_keys($values), fn ($key) => apcu_fetch((string) $key) !== $values[$key]);
var_dump(count($values), $wrong, apcu_exists('key100'));
var_dump(apcu_store(range(0, 99)), apcu_fetch('42'), apcu_store([]), apcu_add(['last' => 1, 'new' => 2]));
?>
--EXPECT--
array(0) {
}
int(928)
array(0) {
}
bool(false)
array(0) {
}
int(42)
array(0) {
}
array(1) {
  ["last"]=>
  int(-1)
}
