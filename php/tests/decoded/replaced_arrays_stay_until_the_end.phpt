--TEST--
Replaced arrays stay readable to the end of the request and count against the limit
--INI--
apc.enable_cli=1
leveret.decoded_cache=1M
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($n = 0; $n < 200; $n++) {
    apcu_store('a', array_fill(0, 1000, $n));
    apcu_fetch('a');
    apcu_fetch('a');
    $held[] = apcu_fetch('a');
}
foreach ($held as $n => $a) {
    if ($a !== array_fill(0, 1000, $n)) {
        echo "wrong: $n\n";
    }
}
ob_start();
(new ReflectionExtension('leveret'))->info();
preg_match('/(\d+) bytes in this process/', ob_get_clean(), $bytes);
var_dump($bytes[1] <= 1 << 20, $bytes[1] > 1 << 19);
--EXPECT--
bool(true)
bool(true)
