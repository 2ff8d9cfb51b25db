--TEST--
A kept array equals a fresh one in every way that a script can see
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$value = ['name' => 'value', 'list' => [3, 1, 2], 'nested' => ['a' => ['b' => 1]], 5 => 'five', 'float' => 1.5, 'null' => null, 'empty' => []];
apcu_store('a', $value);
$fresh = apcu_fetch('a');
apcu_fetch('a');
$kept = apcu_fetch('a');
var_dump(decoded_arrays(), $kept === $fresh, $kept === $value, serialize($kept) === serialize($fresh), json_encode($kept) === json_encode($fresh), var_export($kept, true) === var_export($fresh, true));
$kept[] = 'next';
$fresh[] = 'next';
var_dump($kept === $fresh, array_key_last($kept), count($kept, COUNT_RECURSIVE));
--EXPECT--
int(1)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(6)
int(13)
