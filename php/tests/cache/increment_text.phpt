--TEST--
increment() and decrement() refuse a value that is not an integer
--FILE--
<?php
require __DIR__ . '/../cache.inc';

$cache = new_cache();
foreach (['text' => '5', 'float' => 1.5, 'null' => null, 'true' => true, 'list' => [1]] as $key => $value) {
    $cache->set($key, $value);
    show_exception(fn () => $cache->increment($key));
    if ($cache->get($key) !== $value) { echo "$key changed\n"; }
}
?>
--EXPECT--
Leveret\NotAnIntegerException < Leveret\Exception: The value of "text" is no integer, so it cannot be counted: set() an integer first
Leveret\NotAnIntegerException < Leveret\Exception: The value of "float" is no integer, so it cannot be counted: set() an integer first
Leveret\NotAnIntegerException < Leveret\Exception: The value of "null" is no integer, so it cannot be counted: set() an integer first
Leveret\NotAnIntegerException < Leveret\Exception: The value of "true" is no integer, so it cannot be counted: set() an integer first
Leveret\NotAnIntegerException < Leveret\Exception: The value of "list" is no integer, so it cannot be counted: set() an integer first
