--TEST--
An error handler that throws ends a call for many keys: later keys are not processed
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text));
apcu_store(['first' => 1, 'last' => 2]);
foreach ([apcu_delete(...), apcu_exists(...), apcu_fetch(...)] as $function) {
    try {
        $function(['first', 7, 'last', 8]);
        echo "no exception\n";
    } catch (ErrorException $exception) {
        echo $exception->getMessage(), ' ', get_debug_type($exception->getPrevious()), "\n";
    }
}
var_dump(apcu_exists('first'), apcu_exists('last'));
--EXPECT--
apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance null
apcu_exists(): apc_exists() expects a string or array of strings. null
apcu_fetch(): apc_fetch() expects a string or array of strings. null
bool(false)
bool(true)
