--TEST--
Floats do not pass through precision, serialize_precision or the locale
--INI--
apc.enable_cli=1
precision=3
serialize_precision=5
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('x', 1/3);
var_dump(apcu_fetch('x') === 1/3);
--EXPECT--
bool(true)
