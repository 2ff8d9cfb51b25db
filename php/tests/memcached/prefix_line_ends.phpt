--TEST--
Memcached, Memcache: a prefix with a line end is refused where it is set, in either protocol: in text the rest of it would be a command
--INI--
leveret.provide=apcu,memcached,memcache
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([false, true] as $binary) {
    foreach (["a\r\nb", "a\nb", "a\rb", "\n"] as $prefix) {
        $m = on_server();
        $m->setOption(Memcached::OPT_BINARY_PROTOCOL, $binary);
        $m->setOption(Memcached::OPT_PREFIX_KEY, 'before:');
        echo json_encode([@$m->setOption(Memcached::OPT_PREFIX_KEY, $prefix), $m->getResultCode(), @$m->setOptions([Memcached::OPT_PREFIX_KEY => $prefix])]);
        echo ' ', $m->getOption(Memcached::OPT_PREFIX_KEY), "\n";
    }
}
foreach (['memcached.sess_prefix', 'memcache.prefix_static_key', 'memcache.session_prefix_static_key'] as $name) {
    $before = ini_get($name);
    foreach (["a\r\nb", "a\nb", "a\rb"] as $prefix) {
        var_dump(@ini_set($name, $prefix) === false && ini_get($name) === $before);
    }
}
echo error_get_last()['message'], "\n";
?>
--EXPECT--
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
[false,38,false] before:
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
ini_set(): memcache.session_prefix_static_key cannot have line ends
