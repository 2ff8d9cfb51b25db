--TEST--
apcu_cache_info: each item once, in the list and in the slots
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 5000; $i++) {
    apcu_store("key $i", $i);
}
$info = apcu_cache_info();
var_dump($info['num_entries'], count($info['cache_list']), count(array_unique(array_column($info['cache_list'], 'info'))), array_sum($info['slot_distribution']));
--EXPECT--
int(5000)
int(5000)
int(5000)
int(5000)
