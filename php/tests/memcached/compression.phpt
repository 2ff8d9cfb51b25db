--TEST--
Memcached: which values are compressed, by both codecs, and that any setting reads them
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

/** Length and flags as the server has them. */
function stored(string $key): string
{
    $server = stream_socket_client('unix://' . memcached_socket());
    fwrite($server, "get $key\r\n");
    [, , $flags, $len] = explode(' ', fgets($server)) + [2 => '-', 3 => '-'];
    return "$flags " . ((int) $len < 2000 ? 'short' : 'long');
}

$m = on_server();
$long = str_repeat('long text ', 1000);
$noise = random_bytes(5000);
foreach ([Memcached::COMPRESSION_FASTLZ, Memcached::COMPRESSION_ZLIB] as $type) {
    $m->setOption(Memcached::OPT_COMPRESSION_TYPE, $type);
    foreach ([-1, 0, 9] as $level) {
        $m->setOption(Memcached::OPT_COMPRESSION_LEVEL, $level);
        $m->setMulti(['long' => $long, 'noise' => $noise, 'array' => [$long], 'short' => 'short']);
        echo stored('long'), ', ', stored('noise'), ', ', stored('array'), ', ', stored('short'), "\n";
        var_dump($m->getMulti(['long', 'noise', 'array', 'short']) === ['long' => $long, 'noise' => $noise, 'array' => [$long], 'short' => 'short']);
    }
}
$m->setOption(Memcached::OPT_COMPRESSION, false);
var_dump($m->get('long') === $long);
$m->set('long', $long);
echo stored('long'), "\n";
ini_set('memcached.compression_threshold', '20000');
$m->setOption(Memcached::OPT_COMPRESSION, true);
$m->set('long', $long);
echo stored('long'), "\n";
ini_set('memcached.compression_threshold', '10');
ini_set('memcached.compression_factor', '1000');
$m->set('long', $long);
echo stored('long'), "\n";
// With a factor of 0 every value is compressed. zlib gives up if the value would grow by more than 5 %.
foreach (['0', '-1', '0.3'] as $factor) {
    ini_set('memcached.compression_factor', $factor);
    foreach ([Memcached::COMPRESSION_FASTLZ, Memcached::COMPRESSION_ZLIB] as $type) {
        $m->setOption(Memcached::OPT_COMPRESSION_TYPE, $type);
        $m->setMulti(['long' => $long, 'noise' => 'eleven byte', 'short' => 'short']);
        echo stored('long'), ', ', stored('noise'), ', ', stored('short'), ' ', $m->get('noise'), "\n";
    }
}
var_dump($m->setOption(Memcached::OPT_COMPRESSION_TYPE, 9), $m->getOption(Memcached::OPT_COMPRESSION_TYPE));
?>
--EXPECT--
80 short, 0 long, 84 short, 0 short
bool(true)
80 short, 0 long, 84 short, 0 short
bool(true)
80 short, 0 long, 84 short, 0 short
bool(true)
48 short, 0 long, 52 short, 0 short
bool(true)
0 long, 0 long, 4 long, 0 short
bool(true)
48 short, 0 long, 52 short, 0 short
bool(true)
bool(true)
0 long
0 long
0 long
80 short, 80 short, 0 short eleven byte
48 short, 0 short, 0 short eleven byte
80 short, 80 short, 0 short eleven byte
48 short, 0 short, 0 short eleven byte
80 short, 80 short, 0 short eleven byte
48 short, 0 short, 0 short eleven byte
bool(false)
int(1)
