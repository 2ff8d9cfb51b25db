--TEST--
APCUIterator: a subclass that does not call the constructor
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Bare extends APCUIterator { function __construct() {} }
foreach (['rewind', 'next', 'valid', 'key', 'current', 'getTotalHits', 'getTotalSize', 'getTotalCount'] as $method) {
    try {
        (new Bare)->$method();
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}
try {
    apcu_delete(new Bare);
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
try {
    clone new APCUIterator();
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
--EXPECT--
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to use uninitialized APCUIterator
Trying to clone an uncloneable object of class APCUIterator
