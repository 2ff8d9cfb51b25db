--TEST--
apcu_entry: the callback must be callable
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
try {
    apcu_entry('a', 'no_such_function');
} catch (TypeError $error) {
    echo $error->getMessage(), "\n";
}
class Computes { static function value($key) { return "static $key"; } function __call($name, $arguments) { return "$name {$arguments[0]}"; } }
var_dump(apcu_entry('a', 'Computes::value'), apcu_entry('b', [new Computes, 'magic']), apcu_entry('b', [new Computes, 'magic']));
--EXPECT--
apcu_entry(): Argument #2 ($callback) must be a valid callback, function "no_such_function" not found or invalid function name
string(8) "static a"
string(7) "magic b"
string(7) "magic b"
