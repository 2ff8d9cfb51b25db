--TEST--
Times of items are Unix times, as of APCu before and after 5.1.22
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$before = time();
apcu_store('a', 1, 60);
$after = time();
$info = apcu_key_info('a');
foreach (['access_time', 'mtime', 'creation_time'] as $field) {
    /* The arena's clock counts whole seconds from the boot, so one of the wall clock's more or less is right. */
    var_dump($info[$field] >= $before - 1 && $info[$field] <= $after + 1);
}
$cache = apcu_cache_info(true);
var_dump($cache['start_time'] >= $before - 1 && $cache['start_time'] <= $after + 1);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
