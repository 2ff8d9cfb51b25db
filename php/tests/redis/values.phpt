--TEST--
Redis: values of any type and length come back with each serializer and compression; damaged ones are returned as bytes
--INI--
leveret.provide=redis
--FILE--
<?php
require __DIR__ . '/../start.inc';

$redis = new Redis();
$values = ['', 'a', '10', "\0\xff", str_repeat('ab', 5000), random_bytes(3000), 5, 1.5, true, null, [], [1, 'a' => [2.5, null]]];
foreach ([16, 17, 31, 32, 33, 263, 264, 265, 8191, 8192, 8193, 70000] as $len) {
    $values[] = substr(str_repeat("the same again, $len; ", 8000), 0, $len);
}
$wrong = 0;
foreach ([Redis::COMPRESSION_NONE, Redis::COMPRESSION_LZF, Redis::COMPRESSION_LZ4] as $compression) {
    foreach ([Redis::SERIALIZER_PHP, Redis::SERIALIZER_JSON] as $serializer) {
        $redis->setOption(Redis::OPT_COMPRESSION, $compression);
        $redis->setOption(Redis::OPT_SERIALIZER, $serializer);
        foreach ($values as $value) {
            if ($serializer === Redis::SERIALIZER_JSON && is_string($value) && !preg_match('//u', $value)) {
                continue;
            }
            $packed = $redis->_pack($value);
            $wrong += $redis->_unpack($packed) !== $value;
            /* No byte of it may lead out of bounds, wherever it is cut or changed. */
            for ($tries = 0; $tries < 40 && $packed !== ''; $tries++) {
                $damaged = $packed;
                $damaged[mt_rand(0, strlen($packed) - 1)] = chr(mt_rand(0, 255));
                $redis->_unpack(substr($damaged, 0, mt_rand(0, strlen($damaged))));
            }
        }
    }
}
var_dump($wrong);

$redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_NONE);
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
var_dump($redis->_unpack('no value'));
try {
    $redis->_unserialize('no value');
} catch (RedisException $e) {
    echo $e->getMessage(), "\n";
}
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
var_dump($redis->_pack([1]), $redis->_pack(new stdClass()), $redis->_pack(true), $redis->_pack(null), $redis->_pack(1.1));
?>
--EXPECT--
int(0)
string(8) "no value"
Invalid serialized data, or unserialization error
string(5) "Array"
string(6) "Object"
string(1) "1"
string(0) ""
string(3) "1.1"
