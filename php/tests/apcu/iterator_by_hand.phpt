--TEST--
APCUIterator: its methods, past the end too
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2]);
$iterator = new APCUIterator('/^a$/', APC_ITER_VALUE);
var_dump($iterator->valid(), $iterator->key(), $iterator->current(), $iterator->next(), $iterator->valid());
foreach (['key', 'current'] as $method) {
    try {
        $iterator->$method();
    } catch (Error $error) {
        echo get_class($error), ': ', $error->getMessage(), "\n";
    }
}
$iterator->next();
$iterator->rewind();
var_dump($iterator->valid(), $iterator->key());
--EXPECT--
bool(true)
string(1) "a"
array(1) {
  ["value"]=>
  int(1)
}
NULL
bool(false)
Error: Cannot call key() on invalid iterator
Error: Cannot call current() on invalid iterator
bool(true)
string(1) "a"
