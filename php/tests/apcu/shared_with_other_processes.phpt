--TEST--
Another PHP process sees the same items, and they outlive it
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['from' => 'the first']);
echo other_php('var_dump(apcu_fetch("a")["from"]); apcu_store("b", "from the second");');
var_dump(apcu_fetch('b'));
--EXPECT--
string(9) "the first"
string(15) "from the second"
