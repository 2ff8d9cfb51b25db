--TEST--
A walk over a removed arena's successor: foreach asks for the arena of that name anew, as each method does
--FILE--
<?php
require __DIR__ . '/../cache.inc';
$path = arena_dir() . '/removed.arena';
$cache = new Leveret\Cache($path);
$cache->set('old', 1);
unlink($path);
(new Leveret\Cache(arena_dir() . '/./removed.arena'))->set('new', 1);
// The file is looked at once a second, on one of 64 calls: here on those of another object only.
$beside = new Leveret\Cache(arena_dir() . '/beside.arena');
for ($i = 0; $i < 1000 && array_keys(iterator_to_array($cache)) !== ['new']; $i++) {
    $beside->get('key');
    usleep(5000);
}
echo implode(' ', array_keys(iterator_to_array($cache))), "\n";
?>
--EXPECT--
new
