--TEST--
apcu_entry: an exception leaves nothing stored and no lease
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 3; $i++) {
    try {
        apcu_entry('a', function () { throw new Exception('no value'); });
    } catch (Exception $exception) {
        echo $exception->getMessage(), "\n";
    }
}
var_dump(apcu_exists('a'), apcu_entry('a', fn () => 'computed'));
try {
    apcu_entry('closure', fn () => function () {});
} catch (Exception $exception) {
    echo $exception->getMessage(), "\n";
}
var_dump(apcu_entry('closure', fn () => 'computed'));
--EXPECT--
no value
no value
no value
bool(false)
string(8) "computed"
Serialization of 'Closure' is not allowed
string(8) "computed"
