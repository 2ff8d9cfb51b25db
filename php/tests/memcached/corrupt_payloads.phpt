--TEST--
Memcached: random flags and bytes in a server are a value or PAYLOAD_FAILURE, never a crash
--EXTENSIONS--
igbinary
msgpack
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

// LEVERET_ROUNDS=100000 LEVERET_SEED=7 tries longer, from another start.
mt_srand((int) (getenv('LEVERET_SEED') ?: 1));
$rounds = (int) (getenv('LEVERET_ROUNDS') ?: 500);
$server = stream_socket_client('unix://' . memcached_socket());
$m = on_server();

// Good payloads of every kind, which are then damaged.
$good = [];
foreach ([Memcached::SERIALIZER_PHP, Memcached::SERIALIZER_IGBINARY, Memcached::SERIALIZER_MSGPACK, Memcached::SERIALIZER_JSON] as $serializer) {
    foreach ([Memcached::COMPRESSION_FASTLZ, Memcached::COMPRESSION_ZLIB] as $type) {
        $m->setOptions([Memcached::OPT_SERIALIZER => $serializer, Memcached::OPT_COMPRESSION_TYPE => $type]);
        $object = new ArrayObject([1]);
        foreach (['text', 42, 1.5, true, [1, ['a' => null]], $object, [$object, $object], str_repeat('compressed ', 500), [str_repeat('array ', 500)]] as $value) {
            $m->set('k', $value);
            fwrite($server, "get k\r\n");
            [, , $flags, $len] = explode(' ', fgets($server));
            $good[] = [(int) $flags, stream_get_contents($server, (int) $len)];
            fgets($server);
            fgets($server);
        }
    }
}
$refused = 0;
for ($i = 0; $i < $rounds; $i++) {
    [$flags, $data] = $good[mt_rand(0, count($good) - 1)];
    for ($changes = mt_rand(0, 3); $changes > 0 && $data !== ''; $changes--) {
        $data[mt_rand(0, strlen($data) - 1)] = chr(mt_rand(0, 255));
    }
    $data = match (mt_rand(0, 7)) {
        0 => substr($data, 0, mt_rand(0, strlen($data))),
        1 => pack('V', [0, 1, 0x7fffffff, 0xffffffff][mt_rand(0, 3)]) . substr($data, 4),
        2 => str_repeat(chr(mt_rand(0, 255)), mt_rand(0, 300)),
        default => $data,
    };
    $flags = mt_rand(0, 3) ? $flags ^ (mt_rand(0, 3) ? 0 : 1 << mt_rand(0, 11)) : mt_rand(0, 0xffff);
    fwrite($server, "set k $flags 0 " . strlen($data) . "\r\n$data\r\n");
    fgets($server);
    try {
        $value = @$m->get('k');
        $code = $m->getResultCode();
        $refused += $code === Memcached::RES_PAYLOAD_FAILURE;
        if ($code !== Memcached::RES_SUCCESS && ($code !== Memcached::RES_PAYLOAD_FAILURE || $value !== false)) {
            echo "round $i: code $code\n";
        }
        @$m->getMulti(['k'], Memcached::GET_EXTENDED);
        $m->getDelayed(['k']);
        @$m->fetchAll();
    } catch (Throwable $e) {
        // ArrayObject refuses other classes' data.
    }
}
var_dump($refused > $rounds / 20);
?>
--EXPECT--
bool(true)
