--TEST--
apc.enabled=0 disables on the command line too
--INI--
apc.enable_cli=1
apc.enabled=0
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_enabled(), apcu_store('a', 1), ini_get('apc.enabled'));
--EXPECT--
bool(false)
bool(false)
string(1) "0"
