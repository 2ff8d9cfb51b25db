--TEST--
A key that is too long is refused, everywhere
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$key = str_repeat('k', 100000);
var_dump(apcu_store($key, 1), apcu_fetch($key), apcu_exists($key), apcu_delete($key), apcu_inc($key), apcu_add($key, 1), apcu_key_info($key));
var_dump(apcu_entry($key, fn () => 'computed'), count(apcu_store([$key => 1])));
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
NULL
string(8) "computed"
int(1)
