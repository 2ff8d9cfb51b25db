--TEST--
A ttl may be a DateInterval
--INI--
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', 1, new DateInterval('P2DT3S'));
$item = $cache->getItem('key');
var_dump($item->expires - $item->stored === 2 * 86400 + 3);
$cache->touch('key', new DateInterval('PT1M'));
$cache->increment('count', 1, new DateInterval('PT1M'));
var_dump($cache->getItem('count')->expires - $cache->getItem('count')->stored);
show_exception(fn () => $cache->set('key', 1, new DateTime));
?>
--EXPECT--
bool(true)
int(60)
TypeError < Error: Leveret\Cache::set(): Argument #3 ($ttl) must be of type DateInterval|int|null, DateTime given
