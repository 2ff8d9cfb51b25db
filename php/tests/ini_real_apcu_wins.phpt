--TEST--
Where the real APCu is loaded it is used, with one notice, in either order of loading
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/start.inc';
echo other_php('var_dump(apcu_store("a", 1), apcu_fetch("a"));', ['extension=apcu.so']);
echo other_php('var_dump(apcu_store("a", 1));', ['leveret.provide' => '', 'extension=apcu.so']);
var_dump(apcu_exists('a'));
--EXPECT--
Notice: leveret: the real extension apcu is loaded and is used; unload it, or take apcu out of leveret.provide in Unknown on line 0
bool(true)
int(1)
bool(true)
bool(false)
