--TEST--
apc.shm_size: sizes that APCu takes are taken, and made as large as an arena must be, without a warning
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (['1M', '3M', '512K', '5000000', '33554433', '0', '-1', '12345678'] as $size) {
    $code = 'var_dump(apcu_store("k", 1), ini_get("apc.shm_size"), (int) round(apcu_sma_info(true)["seg_size"] / 1048576));';
    echo trim(preg_replace('/\s+/', ' ', other_php($code, ['apc.shm_size' => $size]))), "\n";
}
--EXPECT--
bool(true) string(2) "1M" int(8)
bool(true) string(2) "3M" int(8)
bool(true) string(4) "512K" int(8)
bool(true) string(7) "5000000" int(8)
bool(true) string(8) "33554433" int(32)
bool(true) string(3) "32M" int(32)
bool(true) string(3) "32M" int(32)
bool(true) string(8) "12345678" int(12)
