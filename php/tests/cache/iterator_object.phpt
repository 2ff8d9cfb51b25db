--TEST--
getIterator() gives an iterator that may be used by hand, past its end too
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$cache = new_cache();
$iterator = $cache->getIterator();
var_dump($iterator->valid(), $iterator->key(), $iterator->current());
$cache->set('key', null);
$iterator->rewind();
var_dump($iterator->valid(), $iterator->key(), $iterator->current());
$iterator->next();
$iterator->next();
var_dump($iterator->valid(), $iterator->key(), $iterator->current());
unset($cache);
$iterator->rewind();
var_dump($iterator->key());
foreach ([1, 2] as $walk) {
    foreach (new IteratorIterator($iterator) as $key => $value) {
        echo "$walk $key\n";
    }
}
?>
--EXPECT--
bool(false)
NULL
NULL
bool(true)
string(3) "key"
NULL
bool(false)
NULL
NULL
string(3) "key"
1 key
2 key
