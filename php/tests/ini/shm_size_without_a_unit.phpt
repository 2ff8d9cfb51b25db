--TEST--
apc.shm_size without a unit is megabytes, as for APCu, with one warning; with a unit or in bytes it is exact
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (['16', '64', '16777216', '16M', 'many'] as $size) {
    $code = 'echo ini_get("apc.shm_size"), " ", (int) round(apcu_sma_info(true)["seg_size"] / 1048576), "\n";';
    echo other_php($code, ['apc.shm_size' => $size]);
    array_map('unlink', glob("$arenas/*"));
}
--EXPECT--
Warning: apc.shm_size=16 has no unit and is taken as megabytes; write 16M in Unknown on line 0
16 16

Warning: apc.shm_size=64 has no unit and is taken as megabytes; write 64M in Unknown on line 0
64 64
16777216 16
16M 16

Warning: apc.shm_size must be a size (with a suffix K, M or G), "many" is not; the default is used in Unknown on line 0
32M 32
