--TEST--
apcu_inc, apcu_dec: a missing item is made with the step as its value, and with the ttl
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_inc('up', 5, $success, 60), $success, apcu_fetch('up'), apcu_key_info('up')['ttl']);
var_dump(apcu_dec('down', 5, $success), $success, apcu_fetch('down'), apcu_key_info('down')['ttl']);
--EXPECT--
int(5)
bool(true)
int(5)
int(60)
int(-5)
bool(true)
int(-5)
int(0)
