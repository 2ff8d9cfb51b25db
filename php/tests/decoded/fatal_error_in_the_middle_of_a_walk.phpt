--TEST--
After a fatal error in the middle of a walk over a kept array that array is not returned again
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['inner' => ['x', 'y']]);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
}
file_put_contents('php://stdout', PEER || decoded_arrays() === 1 ? "kept\n" : "not kept\n");
register_shutdown_function(function () {
    // Twice: it is not kept again either.
    for ($i = 0; $i < 4; $i++) {
        file_put_contents('php://stdout', json_encode(apcu_fetch('a')) . ' ' . json_last_error_msg() . "\n");
    }
});
ob_start(function () {
    trigger_error('in the middle', E_USER_ERROR);
}, 1);
var_dump($a);
--EXPECTF--
kept
{"inner":["x","y"]} No error
{"inner":["x","y"]} No error
{"inner":["x","y"]} No error
{"inner":["x","y"]} No error

Fatal error: PHP Request Shutdown: Cannot use output buffering%s
