--TEST--
An integer is its decimal text where many keys are given
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
$cache->setMultiple(['7' => 'seven', '-7' => 'minus seven', '07' => 'bond']);
var_dump($cache->get('7'), $cache->getMultiple([7, '7', -7, '07']));
foreach ($cache as $key => $value) {
    echo gettype($key), "\n";
}
show_exception(fn () => $cache->getMultiple([1.5]));
show_exception(fn () => $cache->deleteMultiple([null]));
?>
--EXPECT--
string(5) "seven"
array(3) {
  [7]=>
  string(5) "seven"
  [-7]=>
  string(11) "minus seven"
  ["07"]=>
  string(4) "bond"
}
string
string
string
TypeError < Error: Leveret\Cache::getMultiple(): Argument #1 ($keys) must have keys of type string or int, float given
TypeError < Error: Leveret\Cache::deleteMultiple(): Argument #1 ($keys) must have keys of type string or int, null given
