--TEST--
apcu_entry: a value that the callback stores itself stays
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_entry('a', function ($key) {
    apcu_store($key, 'stored');
    return 'returned';
}));
var_dump(apcu_fetch('a'));
--EXPECT--
string(8) "returned"
string(6) "stored"
