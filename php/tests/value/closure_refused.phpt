--TEST--
Closures and generators throw, and change nothing
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 'old');
foreach ([function () {}, (function () { yield 1; })(), [1, fn () => 2], new class {}] as $value) {
    try {
        var_dump(apcu_store('a', $value));
    } catch (Exception $exception) {
        echo preg_replace('/@anonymous.*? is/', '@anonymous\' is', $exception->getMessage()), "\n";
    }
}
var_dump(apcu_fetch('a'));
--EXPECT--
Serialization of 'Closure' is not allowed
Serialization of 'Generator' is not allowed
Serialization of 'Closure' is not allowed
Serialization of 'class@anonymous' is not allowed
string(3) "old"
