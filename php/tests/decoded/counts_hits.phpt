--TEST--
Each fetch counts as a hit of the item and of the cache
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [1, 2]);
for ($i = 0; $i < 8; $i++) {
    apcu_fetch('a');
}
var_dump(apcu_cache_info(true)['num_hits'], apcu_cache_info(true)['num_misses']);
--EXPECT--
float(8)
float(0)
