--TEST--
remember() may be used within remember(), also for the same key
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
echo $cache->remember('a', 60, fn () => 'a' . $cache->remember('b', 60, fn () => 'b' . $cache->remember('a', 60, fn () => 'inner'))), "\n";
echo $cache->get('a'), ' ', $cache->get('b'), "\n";
?>
--EXPECT--
abinner
abinner binner
