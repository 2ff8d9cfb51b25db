--TEST--
Memcached: with any memory_limit a server's value is read or counts as damaged: it never ends the script
--EXTENSIONS--
igbinary
msgpack
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$server = stream_socket_client('unix://' . memcached_socket());
$m = on_server();

const PHP = 4;
const IGBINARY = 5;
const JSON = 6;
const MSGPACK = 7;
const ZLIB = 0x30;

// One element above a power of two: a table with room for twice as many.
const COUNT = 65537;

function down(): string
{
    $data = 'a:' . COUNT . ':{';
    for ($i = COUNT; $i > 0; $i--) {
        $data .= "i:$i;N;";
    }
    return "$data}";
}

function list_with_a_name(): string
{
    $data = 'a:' . COUNT . ':{';
    for ($i = 0; $i < COUNT - 1; $i++) {
        $data .= "i:$i;N;";
    }
    return $data . 's:4:"name";N;}';
}

function references(): string
{
    $data = "\0\0\0\2\x16" . pack('N', COUNT);
    for ($i = 0; $i < COUNT; $i++) {
        $data .= "\x0a" . pack('N', $i) . "\x25\x00";
    }
    return $data;
}

function igbinary_list_with_a_name(): string
{
    $data = "\0\0\0\2\x16" . pack('N', COUNT);
    for ($i = 0; $i < COUNT - 1; $i++) {
        $data .= "\x0a" . pack('N', $i) . "\x00";
    }
    return "$data\x11\x04name\x00";
}

function zlib(string $data): string
{
    return pack('V', strlen($data)) . gzcompress($data);
}

class Nothing
{
}

// Values with many parts, and the MiB with which their forms by PHP, igbinary and msgpack must be readable.
$many = [
    'lists of one' => [array_map(fn($i) => [$i], range(1, 28000)), 9, 9, 13],
    'rows' => [array_map(fn($i) => ['id' => $i, 'name' => "n$i"], range(1, 12000)), 8, 9, 11],
    'strings' => [array_map(fn($i) => "string number $i", range(1, 24000)), 5, 5, 5],
    'integers' => [range(1, 60000), 4.5, 4.5, 5],
    'objects' => [array_map(fn($i) => new Nothing, range(1, 30000)), 9, 8.5, null],
];

// The last or deepest element.
$values = [
    'keys that go down' => [PHP, down(), fn($v) => count($v) === COUNT && array_key_last($v) === 1],
    'a list and then a name' => [PHP, list_with_a_name(), fn($v) => count($v) === COUNT && array_key_exists('name', $v)],
    'a long string' => [PHP | ZLIB, zlib('s:8000000:"' . str_repeat('a', 8000000) . '";'), fn($v) => strlen($v) === 8000000],
    'a long string in an array' => [PHP | ZLIB, zlib('a:1:{i:0;s:8000000:"' . str_repeat('a', 8000000) . '";}'), fn($v) => strlen($v[0]) === 8000000],
    'references' => [IGBINARY, references(), fn($v) => count($v) === COUNT],
    'igbinary: a list and then a name' => [IGBINARY, igbinary_list_with_a_name(), fn($v) => count($v) === COUNT && array_key_exists('name', $v)],
    'numbers' => [JSON, '[' . str_repeat('1,', 2 * COUNT) . '1]', fn($v) => count($v) === 2 * COUNT + 1],
    'maps around a large one' => [MSGPACK, str_repeat("\x81\x00", 20) . "\xde" . pack('n', 8200) . str_repeat("\x00\xc0", 8200), fn($v) => is_array($v[0][0][0])],
];
foreach ($many as $what => [$value, $php, $igbinary, $msgpack]) {
    $is_right = fn($v) => $v == $value;
    $values["PHP: $what"] = [PHP, serialize($value), $is_right, $php];
    $values["igbinary: $what"] = [IGBINARY, igbinary_serialize($value), $is_right, $igbinary];
    if ($msgpack) {
        $values["msgpack: $what"] = [MSGPACK, msgpack_serialize($value), $is_right, $msgpack];
    }
}
foreach ($values as $what => [$flags, $data, $is_right]) {
    $enough = $values[$what][3] ?? PHP_INT_MAX;
    fwrite($server, "set k $flags 0 " . strlen($data) . "\r\n");
    for ($at = 0; $at < strlen("$data\r\n"); $at += $written) {
        $written = fwrite($server, substr("$data\r\n", $at));
    }
    fgets($server) === "STORED\r\n" || die("$what: the server does not take it\n");
    unset($data);
    $refused = $read = 0;
    // No multiple of a page, so that the rest of a chunk differs.
    for ($room = 3; $room < 40; $room += $room < 20 ? 0.3 : 1.7) {
        gc_mem_caches();
        ini_set('memory_limit', memory_get_usage(true) + (int) ($room * 1024 * 1024));
        $value = @$m->get('k');
        $code = $m->getResultCode();
        ini_set('memory_limit', -1);
        $code === Memcached::RES_SUCCESS ? $read++ : $refused++;
        if ($code !== Memcached::RES_SUCCESS && $room >= $enough) {
            echo "$what: refused with $room MiB\n";
        }
        if ($code === Memcached::RES_SUCCESS ? !$is_right($value) : ($value !== false || $code !== Memcached::RES_PAYLOAD_FAILURE)) {
            echo "$what with $room MiB: a wrong value, code $code\n";
        }
        unset($value);
    }
    echo $refused > 0 && $read > 0 ? '' : "$what: $refused refused, $read read\n";
}
echo "done\n";
?>
--EXPECT--
done
