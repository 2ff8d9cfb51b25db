--TEST--
memcached.*: a value that makes no sense is refused and changes nothing
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([
    'compression_type' => 'lzma', 'serializer' => 'yaml', 'sess_consistent_hash_type' => 'modula', 'sess_prefix' => 'a b',
    'sess_lock_wait_min' => '-1', 'item_size_limit' => '-1', 'sess_lock_wait' => '5', 'sess_number_of_replicas' => '-1',
] as $name => $value) {
    $before = ini_get("memcached.$name");
    var_dump(ini_set("memcached.$name", $value), ini_get("memcached.$name") === $before);
}
// An invalid factor or threshold must neither crash nor lose the value.
foreach (['0', '-1', '1e-300', '1e300', 'x'] as $factor) {
    foreach (['-1', '0', '9223372036854775807'] as $threshold) {
        ini_set('memcached.compression_factor', $factor);
        ini_set('memcached.compression_threshold', $threshold);
        $m = on_arena();
        foreach (['', 'x', str_repeat('ab', 5000)] as $value) {
            $m->set('k', $value);
            if ($m->get('k') !== $value) {
                echo "lost with $factor and $threshold\n";
            }
        }
    }
}
ini_set('memcached.default_connect_timeout', '123');
ini_set('memcached.default_consistent_hash', '1');
ini_set('memcached.default_binary_protocol', '1');
ini_set('memcached.serializer', 'json');
ini_set('memcached.compression_type', 'zlib');
ini_set('memcached.store_retry_count', '2');
$m = new Memcached();
var_dump($m->getOption(Memcached::OPT_CONNECT_TIMEOUT), $m->getOption(Memcached::OPT_DISTRIBUTION), $m->getOption(Memcached::OPT_BINARY_PROTOCOL),
    $m->getOption(Memcached::OPT_SERIALIZER), $m->getOption(Memcached::OPT_COMPRESSION_TYPE), $m->getOption(Memcached::OPT_STORE_RETRY_COUNT));
?>
--EXPECTF--
bool(false)
bool(true)
bool(false)
bool(true)

Warning: ini_set(): memcached.sess_consistent_hash_type must be ketama or ketama_weighted, "modula" is not in %s on line %d
bool(false)
bool(true)

Warning: ini_set(): memcached.sess_prefix cannot contain whitespace or control characters in %s on line %d
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)

Deprecated: ini_set(): memcached.sess_lock_wait is no longer used: set memcached.sess_lock_wait_min and memcached.sess_lock_wait_max in %s on line %d
bool(false)
bool(true)
bool(false)
bool(true)
int(123)
int(1)
int(1)
int(3)
int(1)
int(2)
