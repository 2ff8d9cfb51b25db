<?php
// Sessions of all sizes on a host of a mixed fleet: each was written by the host before, is read here and written again. Words: the
// handler, the places of the servers, and how many hosts wrote before.
[, $handler, $places, $before] = $argv;
$servers = explode(',', $places);

// The message for a value that is too large for a server differs.
set_error_handler(fn() => true);

/** Text with a given compression ratio by zlib: random, or with a share of words. */
function text(string $kind, int $length): string
{
    $random = new Random\Randomizer(new Random\Engine\Mt19937(crc32("$kind $length")));
    $share = ['constant' => 1, 'words' => 1, 'little' => 0.19, 'enough' => 0.22, 'random' => 0][$kind];
    $text = $share < 1 ? $random->getBytes((int) ceil($length * (1 - $share))) : '';
    while (strlen($text) < $length) {
        $text .= $kind === 'words' ? 'word' . $random->getInt(0, 99999) . ' ' : str_repeat('a', $length - strlen($text));
    }
    return substr($text, 0, $length);
}

/** The flags of the item on the first server that has it. */
function flags(string $id): string
{
    global $servers, $handler;
    $key = ($handler === 'memcached' ? ini_get('memcached.sess_prefix') : '') . $id;
    foreach ($servers as $place) {
        static $sockets = [];
        $socket = $sockets[$place] ??= stream_socket_client($place[0] === '/' ? "unix://$place" : "tcp://$place");
        fwrite($socket, "mg $key f\r\n");
        $line = rtrim(fgets($socket));
        if ($line !== 'EN') {
            return $line;
        }
    }
    return 'nowhere';
}

function visit(string $title, string $kind, int $length): void
{
    global $before;
    $id = md5("$title $kind $length");
    $text = text($kind, $length);
    session_id($id);
    $_SESSION = [];
    $is_open = session_start();
    $found = ($_SESSION['text'] ?? null) === $text && ($_SESSION['hosts'] ?? null) === $before - 1 ? 'all of it' : ($_SESSION ? 'something else' : 'nothing');
    $_SESSION = ['text' => $text, 'hosts' => (int) $before];
    $is_written = session_write_close();
    echo "$title $kind $length: ", json_encode($is_open), " $found, ", json_encode($is_written), ' ', flags($id), "\n";
}

foreach (['session.save_handler' => $handler, 'session.use_cookies' => 0, 'session.cache_limiter' => ''] as $name => $value) {
    ini_set($name, $value);
}
ini_set('session.save_path', implode(',', $handler === 'memcached' ? $servers : array_map(fn($place) => "unix://$place:0", $servers)));
ob_start();
$protocols = $handler === 'memcached' ? ['memcached.sess_binary_protocol' => [0, 1]] : ['memcache.protocol' => ['ascii', 'binary']];
$copies = $handler === 'memcached' ? 'memcached.sess_number_of_replicas' : 'memcache.session_redundancy';
// The serialized frame of a session's text counts for pecl/memcache's threshold.
$border = 20000 - strlen('text|s:19972:"";hosts|i:1;');
foreach ($protocols as $name => $values) {
    foreach ($values as $value) {
        foreach ([1, 2, 3] as $number) {
            ini_set($name, $value);
            ini_set($copies, $number);
            foreach ([1, 3000, $border - 1, $border, 40000] as $length) {
                foreach (['constant', 'words', 'little', 'enough', 'random'] as $kind) {
                    visit("$value $number", $kind, $length);
                }
            }
        }
    }
}
visit('large', 'words', 2000000);
visit('large', 'random', 1100000);
foreach (['php_serialize', 'php_binary', 'igbinary', 'msgpack'] as $serializer) {
    ini_set('session.serialize_handler', $serializer);
    foreach ([10, 30000] as $length) {
        foreach (['words', 'random'] as $kind) {
            visit($serializer, $kind, $length);
        }
    }
}
ob_end_flush();
