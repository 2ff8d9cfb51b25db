--TEST--
apcu_store, apcu_add: wrong keys warn, a missing value is a failure
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_store(null, 1), apcu_store(12, 1), apcu_add(1.5, 1));
var_dump(apcu_store('a'), apcu_add('a'), apcu_exists('a'));
--EXPECTF--
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d

Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d

Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs. in %s on line %d
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
