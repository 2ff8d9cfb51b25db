--TEST--
apcu_entry: a fatal error in the callback frees those who wait
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
echo substr_count(other_php('apcu_entry("a", function () { no_such_function(); });'), 'Fatal error'), "\n";
var_dump(apcu_exists('a'), apcu_entry('a', fn () => 'computed'));
--EXPECT--
1
bool(false)
string(8) "computed"
