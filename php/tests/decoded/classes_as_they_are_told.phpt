--TEST--
What a class keeps decoded is as its options say: JSON as objects or arrays, nothing that is encrypted, tokens and flags where they are asked for
--FILE--
<?php
require __DIR__ . '/../memcached.inc';
$objects = on_arena();
$objects->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON);
$arrays = on_arena();
$arrays->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON_ARRAY);
$objects->set('json', [['a' => 1], ['a' => 2]]);
for ($i = 0; $i < 4; $i++) {
    echo get_debug_type($arrays->get('json')[0]), ' ', get_debug_type($objects->get('json')[0]), "\n";
}
echo decoded_arrays(), " kept\n";

$secret = on_arena();
$secret->setEncodingKey('a key');
$secret->set('secret', ['a' => 1]);
for ($i = 0; $i < 4; $i++) {
    $secret->get('secret');
}
echo json_encode($secret->get('secret')), ' with the key, ', decoded_arrays(), " kept\n";

$plain = on_arena();
$plain->set('token', ['a' => 1]);
for ($i = 0; $i < 4; $i++) {
    $plain->get('token');
}
$got = $plain->get('token', null, Memcached::GET_EXTENDED);
echo json_encode($got['value']), ' ', json_encode($plain->cas($got['cas'], 'token', ['a' => 2])), ' ', json_encode($plain->get('token')), ' ', decoded_arrays(), " kept\n";

$memcache = new Memcache();
$memcache->addServer('arena:phpt', 0);
$memcache->set('flags', ['a' => 1], 2 << 16);
for ($i = 0; $i < 4; $i++) {
    $memcache->get('flags');
}
$flags = null;
echo json_encode($memcache->get('flags', $flags)), ' ', $flags >> 16, "\n";
--EXPECT--
array stdClass
array stdClass
array stdClass
array stdClass
1 kept
{"a":1} with the key, 1 kept
{"a":1} true {"a":2} 1 kept
{"a":1} 2
