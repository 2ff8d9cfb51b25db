--TEST--
setMultiple() stores every pair
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$pairs = function () { yield 'a' => 1; yield 'b' => null; yield 'a' => 2; };
var_dump($cache->setMultiple(['x' => 'y', 5 => [5]], 60), $cache->setMultiple($pairs()), $cache->setMultiple([]));
echo json_encode($cache->getMultiple(['x', '5', 'a', 'b'], 'missing')), "\n";
var_dump($cache->getItem('x')->expires > time(), $cache->getItem('a')->expires);
show_exception(fn () => $cache->setMultiple(['before' => 1, 'bad' => STDIN, 'after' => 1]));
var_dump($cache->has('before'), $cache->has('after'));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
{"x":"y","5":[5],"a":2,"b":null}
bool(true)
NULL
Leveret\UnsupportedValueException < Leveret\Exception: A value of type resource cannot be stored (under the key "bad"): store what it was made from
bool(true)
bool(false)
