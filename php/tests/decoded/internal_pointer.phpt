--TEST--
The internal pointer of each copy is its own and begins at the front
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['x' => 1, 'y' => 2, 'z' => 3]);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
    var_dump(current($a), next($a), key($a));
}
end($a);
$b = apcu_fetch('a');
var_dump(current($b), key($a), reset($a), prev($b));
--EXPECT--
int(1)
int(2)
string(1) "y"
int(1)
int(2)
string(1) "y"
int(1)
int(2)
string(1) "y"
int(1)
string(1) "z"
int(1)
bool(false)
