--TEST--
apcu_entry: a reference returned by the callback is not kept as one
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$value = 1;
$result = apcu_entry('a', function &() use (&$value) { return $value; });
$result++;
var_dump($result, $value, apcu_fetch('a'));
--EXPECT--
int(2)
int(1)
int(1)
