--TEST--
An arena that was cut short is refused
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$file = getenv('LEVERET_DIR') . '/apcu.arena';
echo other_php('apcu_store("a", 1);');
$handle = fopen($file, 'r+');
ftruncate($handle, 4096);
echo other_php('var_dump(apcu_store("a", 1), apcu_fetch("a"));', ['log_errors' => '1', 'display_errors' => '0']);
--EXPECTF--
%Sleveret: %sapcu.arena%s
bool(false)
bool(false)
