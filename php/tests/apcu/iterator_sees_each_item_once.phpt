--TEST--
APCUIterator: a walk sees each item that lives through it, once, while others come and go
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 20000; $i++) {
    apcu_store("stays $i", $i);
}
$seen = [];
$n = 0;
foreach (new APCUIterator('/^stays/', APC_ITER_VALUE) as $key => $item) {
    $seen[$key] = ($seen[$key] ?? 0) + 1;
    if ($key !== 'stays ' . $item['value']) {
        echo "wrong value of $key\n";
    }
    apcu_store('comes ' . $n++, $n);
    apcu_delete('comes ' . ($n - 100));
    apcu_store($key, $item['value']);
}
var_dump(count($seen), max($seen));
--EXPECT--
int(20000)
int(1)
