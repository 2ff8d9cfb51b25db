--TEST--
APCUIterator: the destructor of the current item may call the constructor again: the newest walk begins
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
final class Value
{
    public function __destruct()
    {
        global $iterator;
        if (isset($iterator)) {
            $iterator->__construct(['other', 'another'], APC_ITER_KEY);
            $iterator->next();
        }
    }
}
apcu_store(['value' => new Value(), 'other' => 1, 'another' => 2, 'regular' => 3]);
$iterator = new APCUIterator('/value/');
$iterator->rewind();
$iterator->__construct('/^regular/', APC_ITER_KEY);
echo json_encode(iterator_to_array($iterator)), ' ', $iterator->getTotalCount(), "\n";
unset($iterator);
--EXPECT--
{"regular":{"key":"regular"}} 1
