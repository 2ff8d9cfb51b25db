--TEST--
apcu_cas replaces the expected integer, and makes nothing
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('n', 1);
var_dump(apcu_cas('n', 2, 3), apcu_fetch('n'), apcu_cas('n', 1, 3), apcu_fetch('n'));
var_dump(apcu_cas('missing', 0, 1), apcu_exists('missing'));
apcu_store('text', '1');
var_dump(apcu_cas('text', 1, 2), apcu_fetch('text'));
--EXPECT--
bool(false)
int(1)
bool(true)
int(3)
bool(false)
bool(false)
bool(false)
string(1) "1"
