--TEST--
apcu_inc, apcu_dec count an integer and leave its ttl
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('n', 10, 60);
var_dump(apcu_inc('n'), apcu_inc('n', 5), apcu_dec('n', 20, $success, 5), $success, apcu_inc('n', -1));
var_dump(apcu_fetch('n'), apcu_key_info('n')['ttl']);
--EXPECT--
int(11)
int(16)
int(-4)
bool(true)
int(-5)
int(-5)
int(60)
