--TEST--
apcu_clear_cache removes everything, at once
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => [1, 2]]);
var_dump(apcu_clear_cache(), apcu_fetch('a'), apcu_exists('b'), apcu_cache_info()['num_entries'], apcu_cache_info()['cache_list']);
var_dump(apcu_add('a', 2), apcu_fetch('a'));
--EXPECT--
bool(true)
bool(false)
bool(false)
int(0)
array(0) {
}
bool(true)
int(2)
