--TEST--
apcu_sma_info: stored bytes are no longer free
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$before = apcu_sma_info(true)['avail_mem'];
for ($i = 0; $i < 100; $i++) {
    apcu_store("k$i", str_repeat('x', 10000));
}
$taken = $before - apcu_sma_info(true)['avail_mem'];
var_dump($taken >= 1000000, $taken < 2000000);
--EXPECT--
bool(true)
bool(true)
