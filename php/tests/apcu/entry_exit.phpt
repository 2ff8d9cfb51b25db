--TEST--
apcu_entry: exit in the callback frees those who wait
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
echo other_php('apcu_entry("a", function () { echo "exits\n"; exit; });');
var_dump(apcu_exists('a'), apcu_entry('a', fn () => 'computed'));
/* Within one process: a shutdown function runs while the lease is still held. */
register_shutdown_function(function () {
    var_dump(apcu_entry('b', fn () => 'computed at shutdown'));
});
apcu_entry('b', function () { exit; });
--EXPECT--
exits
bool(false)
string(8) "computed"
string(20) "computed at shutdown"
