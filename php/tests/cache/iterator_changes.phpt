--TEST--
The items may be changed and deleted during a walk
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
for ($i = 0; $i < 5000; $i++) {
    $cache->set("key $i", 'old');
}
$walked = 0;
foreach ($cache as $key => $value) {
    $walked += $value === 'old' && str_starts_with($key, 'key ');
    $cache->set($key, 'new ' . str_repeat('x', 100));
}
var_dump($walked);
foreach ($cache as $key => $value) {
    if (!str_starts_with($value, 'new ')) { echo "$key: $value\n"; }
    $cache->delete($key);
}
var_dump(iterator_count($cache));
?>
--EXPECT--
int(5000)
int(0)
