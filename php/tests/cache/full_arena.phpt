--TEST--
A full arena forgets item by item, and keeps the newest
--INI--
leveret.memory=8M
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$most = 0;
for ($i = 0; $i < 40000; $i++) {
    $cache->set("key $i", str_pad("value $i ", 1000, '.'));
    if ($cache->get("key $i") !== str_pad("value $i ", 1000, '.')) {
        die("item $i is not there right after it was stored\n");
    }
    if ($i % 1000 === 999) {
        $items = $cache->stats()['items'];
        if ($items < $most * 0.8) {
            die("of $most items only $items are left\n");
        }
        $most = max($most, $items);
    }
}
$stats = $cache->stats();
var_dump($stats['evicted'] > 0, $stats['items'] > 5000, $stats['memory_allocated'] <= $stats['memory_limit']);
$found = $wrong = 0;
for ($i = 0; $i < 40000; $i++) {
    $value = $cache->get("key $i");
    $found += $value !== null;
    $wrong += $value !== null && $value !== str_pad("value $i ", 1000, '.');
}
var_dump($found > 5000, $wrong);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
