--TEST--
cas() stores only over the version that getItem() found
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('key', ['a']);
$item = $cache->getItem('key');
var_dump($cache->cas('key', $item->cas, [...$item->value, 'b']));
var_dump($cache->cas('key', $item->cas, 'too late'));
var_dump($cache->get('key') === ['a', 'b']);

$item = $cache->getItem('key');
$cache->set('key', ['a', 'b']);   // the same value is another version
var_dump($cache->cas('key', $item->cas, 'too late'));

$item = $cache->getItem('key');
$cache->delete('key');
var_dump($cache->cas('key', $item->cas, 'gone'), $cache->has('key'));

$cache->set('count', 1);
$item = $cache->getItem('count');
$cache->increment('count');
var_dump($cache->cas('count', $item->cas, 10), $cache->get('count'));
?>
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
int(2)
