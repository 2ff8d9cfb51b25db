--TEST--
Values of all sizes come back whole
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach ([0, 1, 2, 100, 4095, 4096, 32767, 32768, 65535, 65536, 1 << 20, 3 << 20] as $size) {
    $value = substr(str_repeat(md5((string) $size, true), intdiv($size, 16) + 1), 0, $size);
    if (!apcu_store("size $size", $value) || apcu_fetch("size $size") !== $value) {
        echo "wrong: $size\n";
    }
}
echo "done\n";
--EXPECT--
done
