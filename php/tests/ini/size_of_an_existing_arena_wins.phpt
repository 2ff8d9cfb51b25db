--TEST--
An existing arena keeps its size: one line in the log says so
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 1);
echo other_php('apcu_fetch("a"); apcu_fetch("a"); apcu_store("b", 1); var_dump(apcu_sma_info(true)["seg_size"]);', ['apc.shm_size' => '64M', 'log_errors' => '1', 'display_errors' => '0']);
var_dump(apcu_exists('b'));
--EXPECTF--
%Sleveret: the apcu arena exists with 33554432 bytes and keeps them, although apc.shm_size asks for 67108864; remove it (leveret rm apcu) to make it anew
float(33554432)
bool(true)
