--TEST--
Memcached: each serializer, and each value read by its own
--EXTENSIONS--
igbinary
msgpack
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

class Point { public $x = 1; }
foreach ([on_arena(), on_server()] as $m) {
    var_dump($m->getOption(Memcached::OPT_SERIALIZER) === Memcached::SERIALIZER_IGBINARY);
    foreach (['PHP', 'IGBINARY', 'MSGPACK', 'JSON', 'JSON_ARRAY'] as $name) {
        var_dump($m->setOption(Memcached::OPT_SERIALIZER, constant("Memcached::SERIALIZER_$name")));
        $m->set($name, ['a' => [1, null], 'o' => new Point]);
    }
    foreach (['PHP', 'IGBINARY', 'MSGPACK', 'JSON', 'JSON_ARRAY'] as $name) {
        // msgpack objects from a server are read only if msgpack was chosen.
        $m->setOption(Memcached::OPT_SERIALIZER, $name === 'MSGPACK' ? Memcached::SERIALIZER_MSGPACK : Memcached::SERIALIZER_JSON_ARRAY);
        $value = $m->get($name);
        echo $name, ': ', get_debug_type($value), ', ', get_debug_type($value['o']), "\n";
    }
    $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON);
    echo get_debug_type($m->get('JSON')), "\n";
    tell($m, @$m->set('invalid', ["\xff"]));
    tell($m, @$m->setOption(Memcached::OPT_SERIALIZER, 99));
}
var_dump(Memcached::HAVE_IGBINARY, Memcached::HAVE_MSGPACK);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
PHP: array, Point
IGBINARY: array, Point
MSGPACK: array, Point
JSON: array, array
JSON_ARRAY: array, array
stdClass
false RES_PAYLOAD_FAILURE
false RES_INVALID_ARGUMENTS
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
PHP: array, Point
IGBINARY: array, Point
MSGPACK: array, Point
JSON: array, array
JSON_ARRAY: array, array
stdClass
false RES_PAYLOAD_FAILURE
false RES_INVALID_ARGUMENTS
bool(true)
bool(true)
