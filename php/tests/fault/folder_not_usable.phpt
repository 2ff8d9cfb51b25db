--TEST--
A folder that cannot be used: one line in the log, and the answers of a disabled cache
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
$folder = getenv('LEVERET_DIR');
echo other_php('var_dump(apcu_enabled(), apcu_store("a", 1), apcu_store(["a" => 1]), apcu_fetch("a"), apcu_entry("a", fn () => 1)); try { new APCUIterator(); } catch (Error $error) { echo $error->getMessage(), "\n"; }',
    ['leveret.dir' => "$folder/missing", 'log_errors' => '1', 'display_errors' => '0']);
--EXPECTF--
%Sleveret: %smissing%s
bool(false)
bool(false)
array(1) {
  ["a"]=>
  int(-1)
}
bool(false)
NULL
APC must be enabled to use APCUIterator
