--TEST--
A negative ttl: stored, and over at once
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 'old');
var_dump(apcu_store('a', 'new', -1), apcu_fetch('a'), apcu_exists('a'));
--EXPECT--
bool(true)
bool(false)
bool(false)
