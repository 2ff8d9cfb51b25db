--TEST--
APCUIterator: __wakeup may call the constructor again in the middle of a walk, and that may fail
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Value
{
    function __wakeup(): void
    {
        echo "in the middle\n";
        @$GLOBALS['iterator']->__construct(null, APC_ITER_ALL, 0, 77);
    }
}
apcu_store('value', new Value);
$iterator = new APCUIterator('/./');
try {
    foreach ($iterator as $item) {
        echo "not reached\n";
    }
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
--EXPECT--
in the middle
Trying to use uninitialized APCUIterator
