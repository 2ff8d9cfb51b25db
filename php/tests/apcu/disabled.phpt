--TEST--
Disabled: each function answers, and does nothing
--INI--
apc.enable_cli=0
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(apcu_enabled(), apcu_store('a', 1), apcu_store(['a' => 1, 5 => 2]), apcu_add('a', 1), apcu_add(['a' => 1]));
$success = 'untouched';
var_dump(apcu_fetch('a', $success), $success, apcu_fetch(['a'], $success), $success, apcu_exists('a'), apcu_exists(['a']));
var_dump(apcu_delete('a'), apcu_delete(['a']), apcu_inc('a', 1, $success), $success, apcu_dec('a'), apcu_cas('a', 1, 2));
var_dump(apcu_entry('a', function () { echo "not called\n"; }), apcu_key_info('a'), apcu_clear_cache());
var_dump(apcu_cache_info(), apcu_sma_info(true));
try {
    new APCUIterator();
} catch (Error $error) {
    echo get_class($error), ': ', $error->getMessage(), "\n";
}
--EXPECTF--
bool(false)
bool(false)
array(2) {
  ["a"]=>
  int(-1)
  [5]=>
  int(-1)
}
bool(false)
array(1) {
  ["a"]=>
  int(-1)
}
bool(false)
bool(false)
array(0) {
}
bool(true)
bool(false)
array(0) {
}
bool(false)
array(1) {
  [0]=>
  string(1) "a"
}
bool(false)
bool(false)
bool(false)
bool(false)
NULL
NULL
bool(true)

Warning: apcu_cache_info(): No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file in %s on line %d

Warning: apcu_sma_info(): No APC SMA info available.  Perhaps APC is disabled via apc.enabled? in %s on line %d
bool(false)
bool(false)
Error: APC must be enabled to use APCUIterator
