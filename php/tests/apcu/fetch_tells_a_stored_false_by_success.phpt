--TEST--
apcu_fetch: only $success distinguishes a stored false from a miss
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('no', false);
var_dump(apcu_fetch('no', $success), $success);
var_dump(apcu_fetch('missing', $success), $success);
--EXPECT--
bool(false)
bool(true)
bool(false)
bool(false)
