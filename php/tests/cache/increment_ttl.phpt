--TEST--
The ttl of increment() counts for a new item only
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('old', 1, 60);
$cache->increment('old', 1, 3600);
$cache->increment('new', 1, 3600);
$life = fn ($key) => $cache->getItem($key)->expires - time();
var_dump($life('old') <= 60, $life('new') > 60);
?>
--EXPECT--
bool(true)
bool(true)
