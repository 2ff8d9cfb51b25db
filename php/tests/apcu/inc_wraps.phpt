--TEST--
apcu_inc, apcu_dec wrap at the ends of the integers
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('max', PHP_INT_MAX);
apcu_store('min', PHP_INT_MIN);
var_dump(apcu_inc('max', 1, $success) === PHP_INT_MIN, $success, apcu_dec('min', 1, $success) === PHP_INT_MAX, $success);
apcu_store('n', 0);
var_dump(apcu_dec('n', PHP_INT_MIN) === PHP_INT_MIN);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
