--TEST--
APCUIterator: a regular expression picks the keys
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['user:1' => 1, 'user:2' => 2, 'page:1' => 3, '17' => 4]);
function keys($search) { $keys = array_map('strval', array_keys(iterator_to_array(new APCUIterator($search, APC_ITER_KEY)))); sort($keys); return implode(' ', $keys); }
var_dump(keys('/^user:/'), keys('/1$/'), keys('/none/'), keys('/USER/i'), keys(''), keys(null));
--EXPECT--
string(13) "user:1 user:2"
string(13) "page:1 user:1"
string(0) ""
string(13) "user:1 user:2"
string(23) "17 page:1 user:1 user:2"
string(23) "17 page:1 user:1 user:2"
