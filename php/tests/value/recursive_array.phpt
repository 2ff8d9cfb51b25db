--TEST--
An array that contains itself
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$value = ['name' => 'loop'];
$value['self'] = &$value;
apcu_store('a', $value);
$copy = apcu_fetch('a');
var_dump($copy['self']['self']['self']['name']);
$copy['self']['name'] = 'changed';
var_dump($copy['self']['self']['name'], apcu_fetch('a')['self']['name']);
// PHP does not free a value that contains itself at its end; the test under valgrind expects all memory back.
unset($value, $copy);
gc_collect_cycles();
--EXPECT--
string(4) "loop"
string(7) "changed"
string(4) "loop"
