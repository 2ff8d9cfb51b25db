--TEST--
leveret.apcu_arena names the arena of apcu_*, of each version of PHP another; leveret.apcu_cli=shared shares it on the command line
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
$folder = getenv('LEVERET_DIR');
apcu_store('a', 1);
var_dump(file_exists("$folder/apcu-" . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.arena'));
$code = 'var_dump(apcu_exists("a"), apcu_store("b", 2));';
echo other_php($code), other_php($code, ['leveret.apcu_arena' => 'arena:shop']), other_php($code, ['leveret.apcu_arena' => "$folder/else.arena"]);
var_dump(apcu_fetch('b'), (new Leveret\Cache('shop'))->get('b'), file_exists("$folder/else.arena"));
echo other_php('var_dump(ini_get("leveret.apcu_cli"));', ['leveret.apcu_cli' => 'mine', 'display_startup_errors' => 1]);
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
int(2)
int(2)
bool(true)

Warning: leveret.apcu_cli must be private or shared, "mine" is not; the default is used in Unknown on line 0
string(7) "private"
