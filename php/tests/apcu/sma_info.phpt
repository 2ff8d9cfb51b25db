--TEST--
apcu_sma_info: one segment, its free bytes, and a block list for apc.php
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$info = apcu_sma_info();
var_dump(array_map('gettype', $info), $info['num_seg']);
var_dump(array_map('gettype', $info['block_lists'][0][0]), count($info['block_lists']) === $info['num_seg']);
var_dump(array_keys(apcu_sma_info(true)), $info['avail_mem'] > 0 && $info['avail_mem'] < $info['seg_size']);
--EXPECT--
array(4) {
  ["num_seg"]=>
  string(7) "integer"
  ["seg_size"]=>
  string(6) "double"
  ["avail_mem"]=>
  string(6) "double"
  ["block_lists"]=>
  string(5) "array"
}
int(1)
array(2) {
  ["size"]=>
  string(7) "integer"
  ["offset"]=>
  string(7) "integer"
}
bool(true)
array(3) {
  [0]=>
  string(7) "num_seg"
  [1]=>
  string(8) "seg_size"
  [2]=>
  string(9) "avail_mem"
}
bool(true)
