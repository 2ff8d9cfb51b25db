--TEST--
Arrays of every plain kind come back as they went in the compact form
--INI--
apc.enable_cli=1
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/arrays.inc';
come_back(3000);
apcu_store('shared', [$list = range(1, 3), $list, $list]);
var_dump(apcu_fetch('shared') === [$list, $list, $list]);
// More strings and keys than short indexes, twice.
$wide = $maps = [];
for ($i = 0; $i < 10000; $i++) {
    $wide["key $i"] = "value $i";
    $maps[] = ["only $i" => $i, "and $i" => "value $i"];
}
apcu_store('wide', [$wide, $maps, $maps, $wide, array_keys($wide)]);
var_dump(apcu_fetch('wide') === [$wide, $maps, $maps, $wide, array_keys($wide)]);
foreach ([0, 1, 2, 63, 64, 65, 127, 128, 16384, 100000] as $len) {
    $long[] = str_repeat('x', $len);
    $long[str_repeat('k', $len)] = [str_repeat('x', $len)];
}
foreach ([0, 63, 64, 127, 128, 32767, 32768, 2147483647, 2147483648, PHP_INT_MAX] as $number) {
    array_push($long, $number, -$number - 1);
    $long[-$number - 1] = $long[$number + 1000 * (int) ($number < 1000)] = 'by number';
}
unset($long[PHP_INT_MAX]);
$long = array_merge([[PHP_INT_MAX => 'the last', PHP_INT_MIN => 'the first']], $long);
array_push($long, -0.0, NAN, INF, -INF, 5e-324, 1.7976931348623157e308);
apcu_store('long', $long);
var_dump(serialize(apcu_fetch('long')) === serialize($long));
// Holes, and former references.
$holes = range(0, 20);
unset($holes[0], $holes[7], $holes[20]);
$named = ['a' => 1, 'b' => 2, 'c' => 3];
unset($named['b']);
foreach ($named as &$element) {
}
unset($element);
apcu_store('holes', [$holes, $named, $named, ['a' => 5, 'c' => 6]]);
var_dump(apcu_fetch('holes') === [$holes, ['a' => 1, 'c' => 3], ['a' => 1, 'c' => 3], ['a' => 5, 'c' => 6]]);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
