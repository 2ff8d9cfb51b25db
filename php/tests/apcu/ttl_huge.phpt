--TEST--
A ttl beyond all clocks is a very long one
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_store('a', 1, PHP_INT_MAX), apcu_fetch('a'), apcu_store('b', 1, 4294967295), apcu_fetch('b'), apcu_key_info('b')['ttl'] > 1000000000);
--EXPECT--
bool(true)
int(1)
bool(true)
int(1)
bool(true)
