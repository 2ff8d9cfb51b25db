--TEST--
A file that is no arena is left alone
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$file = getenv('LEVERET_DIR') . '/apcu.arena';
file_put_contents($file, str_repeat("not an arena\n", 1000));
echo other_php('var_dump(apcu_store("a", 1), apcu_fetch("a"));', ['log_errors' => '1', 'display_errors' => '0']);
var_dump(file_get_contents($file) === str_repeat("not an arena\n", 1000));
--EXPECTF--
%Sleveret: %sapcu.arena%s
bool(false)
bool(false)
bool(true)
