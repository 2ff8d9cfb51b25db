--TEST--
Nesting beyond any reason is decoded each time and does no harm
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$deep = [];
for ($i = 0; $i < 3000; $i++) {
    $deep = [$deep];
}
apcu_store('a', $deep);
for ($i = 0; $i < 4; $i++) {
    $a = apcu_fetch('a');
}
var_dump($a === $deep, decoded_arrays());
--EXPECT--
bool(true)
int(0)
