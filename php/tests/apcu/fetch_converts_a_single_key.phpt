--TEST--
apcu_fetch, apcu_exists: a single key is taken as a string
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('12', 'twelve');
var_dump(apcu_fetch(12), apcu_exists(12), apcu_fetch(null), apcu_fetch(1.5));
try {
    apcu_fetch(new stdClass);
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
--EXPECT--
string(6) "twelve"
bool(true)
bool(false)
bool(false)
Object of class stdClass could not be converted to string
