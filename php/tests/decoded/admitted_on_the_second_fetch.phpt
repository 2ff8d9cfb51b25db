--TEST--
An array is kept decoded from its second fetch on
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [1, 2, 3]);
for ($i = 0; $i < 4; $i++) {
    var_dump(decoded_arrays(), apcu_fetch('a') === [1, 2, 3]);
}
--EXPECT--
int(0)
bool(true)
int(0)
bool(true)
int(1)
bool(true)
int(1)
bool(true)
