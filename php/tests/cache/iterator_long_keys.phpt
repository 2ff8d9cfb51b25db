--TEST--
A walk meets keys that are larger than its buffer
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
for ($i = 0; $i < 50; $i++) {
    $cache->set(str_pad("$i", $cache->stats()['key_max'], '.'), $i);
}
$sum = 0;
foreach ($cache as $key => $value) {
    $sum += rtrim($key, '.') === "$value" ? $value : 1000;
}
var_dump($sum);
?>
--EXPECT--
int(1225)
