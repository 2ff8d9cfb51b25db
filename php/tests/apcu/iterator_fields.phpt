--TEST--
APCUIterator: the fields of an item and their order
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', [1, 2], 60);
apcu_fetch('a');
foreach (new APCUIterator() as $key => $item) {
    var_dump($key, array_map('gettype', $item), $item['type'], $item['key'], $item['value'], $item['num_hits'], $item['ttl']);
}
foreach (new APCUIterator(null, APC_ITER_TTL | APC_ITER_VALUE | APC_ITER_TYPE) as $item) {
    var_dump($item);
}
foreach (new APCUIterator(null, APC_ITER_NONE) as $key => $item) {
    var_dump($key, $item);
}
--EXPECT--
string(1) "a"
array(11) {
  ["type"]=>
  string(6) "string"
  ["key"]=>
  string(6) "string"
  ["value"]=>
  string(5) "array"
  ["num_hits"]=>
  string(7) "integer"
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
  ["ttl"]=>
  string(7) "integer"
}
string(4) "user"
string(1) "a"
array(2) {
  [0]=>
  int(1)
  [1]=>
  int(2)
}
int(1)
int(60)
array(3) {
  ["type"]=>
  string(4) "user"
  ["value"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
  ["ttl"]=>
  int(60)
}
string(1) "a"
array(0) {
}
