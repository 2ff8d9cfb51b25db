--TEST--
apcu_entry computes a missing value once
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$compute = function (string $key) {
    echo "computing $key\n";
    return "value of $key";
};
var_dump(apcu_entry('a', $compute, 60), apcu_entry('a', $compute), apcu_fetch('a'), apcu_key_info('a')['ttl']);
var_dump(apcu_entry('null', fn () => null), apcu_exists('null'), apcu_entry('false', fn () => false), apcu_exists('false'));
--EXPECT--
computing a
string(10) "value of a"
string(10) "value of a"
string(10) "value of a"
int(60)
NULL
bool(true)
bool(false)
bool(true)
