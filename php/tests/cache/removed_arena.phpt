--TEST--
An arena whose file was removed is noticed in the middle of a long request
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$path = arena_dir() . '/removed.arena';
$cache = new Leveret\Cache($path);
$cache->set('key', 'old');
unlink($path);
$other = in_child(function () use ($path) {
    $cache = new Leveret\Cache(dirname($path) . '/./removed.arena');
    $cache->set('key', 'new');
});
wait_for($other);
// The file is checked once a second, in one of 64 calls: here never in one of this object's, since every other call is another object's.
$beside = new Leveret\Cache(arena_dir() . '/beside.arena');
for ($i = 0; $i < 1000 && $cache->get('key') !== 'new'; $i++) {
    $beside->get('key');
    usleep(5000);
}
var_dump($cache->get('key'), iterator_count($cache));
?>
--EXPECT--
string(3) "new"
int(1)
