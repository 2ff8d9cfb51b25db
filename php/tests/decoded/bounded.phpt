--TEST--
The cache stops taking arrays when it is full, and goes on serving
--INI--
apc.enable_cli=1
leveret.decoded_cache=1M
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 100; $i++) {
    apcu_store("key $i", array_fill(0, 1000, $i));
}
for ($round = 0; $round < 4; $round++) {
    for ($i = 0; $i < 100; $i++) {
        if (apcu_fetch("key $i") !== array_fill(0, 1000, $i)) {
            echo "wrong\n";
        }
    }
}
/* 1000 elements of 16 bytes each and a little more. */
var_dump(decoded_arrays() >= 50 && decoded_arrays() <= 65);
--EXPECT--
bool(true)
