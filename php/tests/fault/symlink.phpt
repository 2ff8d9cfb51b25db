--TEST--
A symbolic link in place of an arena is not followed
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$folder = getenv('LEVERET_DIR');
file_put_contents("$folder/victim", 'precious');
symlink("$folder/victim", "$folder/apcu.arena");
echo other_php('var_dump(apcu_store("a", 1));', ['log_errors' => '1', 'display_errors' => '0']);
var_dump(file_get_contents("$folder/victim"));
--EXPECTF--
%Sleveret: %sapcu.arena%s
bool(false)
string(8) "precious"
