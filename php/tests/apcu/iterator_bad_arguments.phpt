--TEST--
APCUIterator: a list type that there is none of, deleted items, negative chunks
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 1);
$iterator = new APCUIterator(null, APC_ITER_ALL, 0, 5);
var_dump(iterator_to_array(new APCUIterator(null, APC_ITER_ALL, 0, APC_LIST_DELETED)));
new APCUIterator(null, APC_ITER_ALL, -1);
--EXPECTF--
Warning: APCUIterator::__construct(): APCUIterator invalid list type in %s on line %d
array(0) {
}

Fatal error: APCUIterator::__construct(): APCUIterator chunk size must be 0 or greater in %s on line %d
