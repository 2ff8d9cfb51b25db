--TEST--
An arena whose file was removed is opened again, and the call succeeds
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$path = arena_dir() . '/removed.arena';
$cache = new Leveret\Cache($path);
$other = new Leveret\Cache($path);
$cache->set('key', 1);
// A file that is cut off is noticed by the next access.
ftruncate(fopen($path, 'r+'), 4096);
unlink($path);
$cache->set('key', 2);
var_dump($other->get('key'), $cache->get('key'), file_exists($path));

// The next call of stats() notices it, too.
ftruncate(fopen($path, 'r+'), 4096);
unlink($path);
var_dump($cache->stats()['items'], file_exists($path));
?>
--EXPECT--
int(2)
int(2)
bool(true)
int(0)
bool(true)
