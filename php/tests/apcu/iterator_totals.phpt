--TEST--
APCUIterator: totals of the matching items, counted once
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'ab' => 'two', 'c' => 3]);
apcu_fetch('a');
apcu_fetch('ab');
apcu_fetch('ab');
$iterator = new APCUIterator('/^a/');
var_dump($iterator->getTotalHits(), $iterator->getTotalCount(), $iterator->getTotalSize() > 0);
apcu_store('abc', 1);
var_dump($iterator->getTotalCount(), (new APCUIterator(['a', 'c', 'missing']))->getTotalCount(), (new APCUIterator())->getTotalCount());
--EXPECT--
int(3)
int(2)
bool(true)
int(2)
int(2)
int(4)
