--TEST--
Arenas of different names share nothing
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$one = new_cache();
$two = new_cache();
$again = new Leveret\Cache($one->stats()['path']);
$one->set('key', 1);
var_dump($two->has('key'), $again->get('key'));
$two->clear();
var_dump($one->get('key'));
?>
--EXPECT--
bool(false)
int(1)
int(1)
