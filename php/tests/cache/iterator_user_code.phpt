--TEST--
The destructor of an iterator's current value may advance or restart that iterator
--FILE--
<?php
require __DIR__ . '/../cache.inc';
final class Value
{
    public function __destruct()
    {
        global $iterator, $moves;
        if ($moves > 0) {
            $moves--;
            $moves % 2 ? $iterator->next() : $iterator->rewind();
        }
    }
}
$cache = new_cache();
for ($i = 0; $i < 20; $i++) {
    $cache->set("key$i", new Value());
}
$iterator = $cache->getIterator();
for ($round = 0; $round < 10; $round++) {
    $moves = $round;
    $iterator->rewind();
    while ($iterator->valid()) {
        if (!$iterator->current() instanceof Value || !str_starts_with($iterator->key(), 'key')) {
            echo "another value\n";
        }
        $iterator->next();
    }
}
var_dump($moves, $iterator->key(), $iterator->current());
?>
--EXPECT--
int(0)
NULL
NULL
