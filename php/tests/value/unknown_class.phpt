--TEST--
An object of a class that is not there comes back incomplete, as from unserialize()
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
echo other_php('class Known { public $x = 5; } apcu_store("a", new Known);');
var_dump(get_class(apcu_fetch('a')));
--EXPECT--
string(22) "__PHP_Incomplete_Class"
