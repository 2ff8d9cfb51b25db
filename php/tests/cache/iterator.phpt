--TEST--
foreach gives every item once, key and value
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
for ($i = 0; $i < 20000; $i++) {
    $cache->set("key $i", $i);
}
$seen = [];
foreach ($cache as $key => $value) {
    if ($key !== "key $value" || isset($seen[$key])) {
        echo "wrong: $key => $value\n";
    }
    $seen[$key] = true;
}
var_dump(count($seen), $cache instanceof Traversable, $cache->getIterator()::class);
$iterator = $cache->getIterator();
$iterator->rewind();
var_dump($iterator->valid(), is_string($iterator->key()), is_int($iterator->current()));
$iterator->rewind();
var_dump(iterator_count($iterator));
?>
--EXPECT--
int(20000)
bool(true)
string(16) "InternalIterator"
bool(true)
bool(true)
bool(true)
int(20000)
