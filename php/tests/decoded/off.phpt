--TEST--
leveret.decoded_cache=0: nothing is kept
--INI--
apc.enable_cli=1
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [1, 2]);
for ($i = 0; $i < 5; $i++) {
    $a = apcu_fetch('a');
}
var_dump(decoded_arrays(), $a === [1, 2]);
--EXPECT--
int(0)
bool(true)
