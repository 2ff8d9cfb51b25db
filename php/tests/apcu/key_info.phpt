--TEST--
apcu_key_info: its keys; null for what is missing
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 1, 60);
apcu_fetch('a');
apcu_fetch('a');
$info = apcu_key_info('a');
var_dump(array_keys($info), $info['hits'], $info['ttl'], $info['deletion_time'], $info['refs'], apcu_key_info('missing'));
--EXPECT--
array(7) {
  [0]=>
  string(4) "hits"
  [1]=>
  string(11) "access_time"
  [2]=>
  string(5) "mtime"
  [3]=>
  string(13) "creation_time"
  [4]=>
  string(13) "deletion_time"
  [5]=>
  string(3) "ttl"
  [6]=>
  string(4) "refs"
}
int(2)
int(60)
int(0)
int(0)
NULL
