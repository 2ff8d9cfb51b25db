--TEST--
A walk after the arena was removed: foreach opens the arena of that name again, as each method does
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$path = arena_dir() . '/removed.arena';
$cache = new Leveret\Cache($path);
$cache->set('old', 1);
unlink($path);
(new Leveret\Cache(arena_dir() . '/./removed.arena'))->set('new', 1);
// The file is checked once a second, in one of 64 calls: here only in those of another object.
$beside = new Leveret\Cache(arena_dir() . '/beside.arena');
for ($i = 0; $i < 1000 && array_keys(iterator_to_array($cache)) !== ['new']; $i++) {
    $beside->get('key');
    usleep(5000);
}
echo implode(' ', array_keys(iterator_to_array($cache))), "\n";
?>
--EXPECT--
new
