--TEST--
leveret.dir names the folder of the arenas, before $LEVERET_DIR
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
$folder = getenv('LEVERET_DIR');
mkdir("$folder.other", 0700);
echo other_php('var_dump(apcu_store("a", 1));', ['leveret.dir' => "$folder.other"]);
var_dump(apcu_exists('a'), file_exists("$folder.other/apcu.arena"));
array_map('unlink', glob("$folder.other/*"));
rmdir("$folder.other");
--EXPECT--
bool(true)
bool(false)
bool(true)
