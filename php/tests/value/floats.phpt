--TEST--
Floats come back bit for bit
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach ([0.0, -0.0, 0.1, 1.5, -1e300, 1e-320, 5e-324, PHP_FLOAT_MAX, PHP_FLOAT_MIN, PHP_FLOAT_EPSILON, 1/3, 123456789012345678.0, INF, -INF] as $value) {
    apcu_store('x', $value);
    if (pack('d', apcu_fetch('x')) !== pack('d', $value)) {
        var_dump($value, apcu_fetch('x'));
    }
}
apcu_store('x', NAN);
var_dump(apcu_fetch('x'));
--EXPECT--
float(NAN)
