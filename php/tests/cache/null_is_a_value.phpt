--TEST--
A stored null differs from a miss
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', null);
var_dump($cache->get('key', 'default'));
var_dump($cache->has('key'));
var_dump($cache->getItem('key')->value);
var_dump($cache->getMultiple(['key', 'other'], 'default'));
var_dump($cache->add('key', 1));
var_dump($cache->remember('key', null, fn () => 'computed'));
?>
--EXPECT--
NULL
bool(true)
NULL
array(2) {
  ["key"]=>
  NULL
  ["other"]=>
  string(7) "default"
}
bool(false)
NULL
