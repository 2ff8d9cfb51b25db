--TEST--
apcu_inc of a value that is not an integer: false, no success, no warning, no change
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (['5', 1.5, null, true, [1], new stdClass] as $value) {
    apcu_store('x', $value);
    var_dump(apcu_inc('x', 1, $success), $success, apcu_dec('x'), apcu_fetch('x') == $value);
}
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
