--TEST--
memcache.*: a value that is not a number, or too low, is refused in pecl/memcache's words; an empty one disables compression
--INI--
leveret.provide=memcache
memcache.compress_threshold=Off
--FILE--
<?php
require __DIR__ . '/../start.inc';

echo json_encode(ini_get('memcache.compress_threshold')), "\n";
foreach ([
    ['compress_threshold', ''], ['compress_threshold', '-1'], ['session_redundancy', '0'], ['redundancy', '2abc'], ['lock_timeout', '0'], ['lock_timeout', '1.5'],
    ['chunk_size', ''], ['hash_strategy', 'random'], ['protocol', ''],
] as [$name, $value]) {
    $before = ini_set("memcache.$name", $value);
    echo "$name ", json_encode([$value, $before, ini_get("memcache.$name")]), "\n";
}
?>
--EXPECTF--
""
compress_threshold ["","",""]

Warning: ini_set(): memcache.compress_threshold must be a positive integer ('-1' given) in %s on line %d
compress_threshold ["-1",false,""]

Warning: ini_set(): memcache.redundancy must be a positive integer ('0' given) in %s on line %d
session_redundancy ["0",false,"2"]

Warning: ini_set(): memcache.redundancy must be a positive integer ('2abc' given) in %s on line %d
redundancy ["2abc",false,"1"]

Warning: ini_set(): memcache.lock_timeout must be a positive integer ('0' given) in %s on line %d
lock_timeout ["0",false,"15"]

Warning: ini_set(): memcache.lock_timeout must be a positive integer ('1.5' given) in %s on line %d
lock_timeout ["1.5",false,"15"]

Warning: ini_set(): memcache.chunk_size must be a positive integer ('' given) in %s on line %d
chunk_size ["",false,"32768"]

Warning: ini_set(): memcache.hash_strategy must be in set {standard, consistent} ('random' given) in %s on line %d
hash_strategy ["random",false,"consistent"]

Warning: ini_set(): memcache.protocol must be in set {ascii, binary} ('' given) in %s on line %d
protocol ["",false,"ascii"]
