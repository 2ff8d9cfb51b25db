--TEST--
getMultiple() answers every key in the order asked
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->set('a', 1);
$cache->set('c', [3]);
$letters = function () { yield 'a'; yield 'b'; yield 'c'; };
echo json_encode($cache->getMultiple(['c', 'b', 'a'])), "\n";
echo json_encode($cache->getMultiple($letters(), 'none')), "\n";
echo json_encode($cache->getMultiple(new ArrayIterator(['x' => 'a', 'y' => 'a']))), "\n";
echo json_encode($cache->getMultiple([])), "\n";
show_exception(fn () => $cache->getMultiple((function () { yield 'a'; throw new DomainException('no more'); })()));
?>
--EXPECT--
{"c":[3],"b":null,"a":1}
{"a":1,"b":"none","c":[3]}
{"a":1}
[]
DomainException < LogicException: no more
