--TEST--
apcu_cache_info: the keys that monitoring and the page apc.php read
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 'value', 60);
apcu_fetch('a');
apcu_fetch('missing');
$info = apcu_cache_info();
var_dump(array_map('gettype', $info));
var_dump(array_map('gettype', $info['cache_list'][0]), $info['cache_list'][0]['info'], $info['cache_list'][0]['ttl']);
var_dump($info['num_entries'], $info['num_hits'], $info['num_misses'], $info['num_inserts'], $info['expunges'], array_values($info['slot_distribution']));
var_dump(array_diff(array_keys($info), array_keys(apcu_cache_info(true))));
--EXPECT--
array(13) {
  ["num_slots"]=>
  string(7) "integer"
  ["ttl"]=>
  string(7) "integer"
  ["num_hits"]=>
  string(6) "double"
  ["num_misses"]=>
  string(6) "double"
  ["num_inserts"]=>
  string(6) "double"
  ["num_entries"]=>
  string(7) "integer"
  ["expunges"]=>
  string(6) "double"
  ["start_time"]=>
  string(7) "integer"
  ["mem_size"]=>
  string(6) "double"
  ["memory_type"]=>
  string(6) "string"
  ["cache_list"]=>
  string(5) "array"
  ["deleted_list"]=>
  string(5) "array"
  ["slot_distribution"]=>
  string(5) "array"
}
array(9) {
  ["info"]=>
  string(6) "string"
  ["ttl"]=>
  string(7) "integer"
  ["num_hits"]=>
  string(6) "double"
  ["mtime"]=>
  string(7) "integer"
  ["creation_time"]=>
  string(7) "integer"
  ["deletion_time"]=>
  string(7) "integer"
  ["access_time"]=>
  string(7) "integer"
  ["ref_count"]=>
  string(7) "integer"
  ["mem_size"]=>
  string(7) "integer"
}
string(1) "a"
int(60)
int(1)
float(1)
float(1)
float(1)
float(0)
array(1) {
  [0]=>
  int(1)
}
array(3) {
  [10]=>
  string(10) "cache_list"
  [11]=>
  string(12) "deleted_list"
  [12]=>
  string(17) "slot_distribution"
}
