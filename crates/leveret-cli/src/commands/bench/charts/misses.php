<?php
/*
 * One turn of one cache: php turn.php STREAM GETS ADDRESS FOLDER
 *
 * Prints {"percent", "asked", "done", "right", "said"}. Two processes take turns at one stream of requests, a hundred each. A get that
 * misses is followed by a store, as applications do it. One request in fifty brings a new version of its key, so what a process has kept
 * to itself is soon a wrong value. A miss is right, but a cache that never has anything is not.
 */
[, $stream, $count, $address] = $argv;
const TURN = 100;

$said = null;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said ??= $level === E_DEPRECATED ? null : $text;
    return true;
});

/**
 * No two keys and no two versions have the same value. Lengths from 50 bytes to 8 KB, small ones as many as large ones: 1.6 KB in the mean.
 * Nothing of it repeats, or clients that compress would have room for more.
 */
function value(int $number, int $version): string
{
    static $bytes = null;
    $bytes ??= implode(array_map(fn (int $part): string => hash('sha512', "part $part", true), range(1, 1024)));
    $length = (int) (50 * 160 ** (crc32("length $number") / 0xffffffff));
    $name = "$number:$version:";
    return $name . substr($bytes, crc32($name) % 57_000, $length - strlen($name));
}

function connect(string $address): mixed
{
    $cache = null;
    /*OPEN*/
    return $cache;
}

/** The key of each request: of half as many keys as there are requests, by Zipf's law with the exponent 0.9. */
function requests(string $stream, int $count): array
{
    mt_srand(11);
    $keys = max(2, intdiv($count, 2));
    $requests = [];
    for ($i = 0; $i < $count; $i++) {
        // The inverse of the law's distribution function, taken as continuous.
        $rank = (int) ((($keys ** 0.1 - 1) * mt_rand() / mt_getrandmax() + 1) ** 10) - 1;
        $requests[] = match (true) {
            // One after the other, a twentieth of all requests at a time: a crawler that comes by, or a job at night.
            $stream === 'scans' && intdiv($i * 20, $count) % 4 === 3 => $keys + $i,
            // What is popular moves on, through a quarter of the keys.
            $stream === 'shifting' => ($rank + intdiv($i, 8)) % $keys,
            default => min($rank, $keys - 1),
        };
    }
    return $requests;
}

$requests = requests($stream, (int) $count);
[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
$child = pcntl_fork();
$turn = $child === 0 ? 1 : 0;
$other = $child === 0 ? $theirs : $ours;
fclose($child === 0 ? $ours : $theirs);

$cache = connect($address);
$versions = [];
[$right, $hits, $missed, $gets, $stores, $refused] = [0, 0, 0, 0, 0, 0];
foreach ($requests as $i => $number) {
    // Both follow the whole stream, so that both know the version of each key.
    $is_write = $i % 50 === 49;
    $versions[$number] = ($versions[$number] ?? 0) + ($is_write ? 1 : 0);
    if (intdiv($i, TURN) % 2 === $turn) {
        if ($i > 0 && $i % TURN === 0 && fgets($other) === false) {
            throw new RuntimeException('the other process has died');
        }
        $key = "page:$number";
        $value = value($number, $versions[$number]);
        $found = $is_write ? null : (/*GET*/);
        if ($found === $value) {
            $hits++;
        }
        $right += (int) ($is_write || $found === $value || $found === false || $found === null);
        // What comes before is needed to fill the cache.
        if (!$is_write && 2 * $i >= (int) $count) {
            $gets++;
            $missed += (int) ($found !== $value);
        }
        if ($found !== $value) {
            $stores++;
            $refused += (int) !(/*SET*/);
        }
        if (($i + 1) % TURN === 0 && $i + 1 < (int) $count) {
            fwrite($other, "\n");
        }
    }
}
/*END*/
$counts = [$right, $hits, $missed, $gets, $stores, $refused, $said];
if ($child === 0) {
    fwrite($other, json_encode($counts) . "\n");
    exit(0);
}
// Where the other one had the last turn but one, it has said that it is over.
do {
    $line = fgets($other);
} while ($line === "\n");
$theirs = json_decode($line ?: throw new RuntimeException('the other process has died'), true, flags: JSON_THROW_ON_ERROR);
pcntl_wait($status);
$said ??= array_pop($theirs);
[$right, $hits, $missed, $gets, $stores, $refused] = array_map(fn (int $a, int $b): int => $a + $b, array_slice($counts, 0, 6), array_slice($theirs, 0, 6));
if ($hits === 0) {
    [$right, $said] = [0, $said ?? 'it never had anything'];
}
echo json_encode(['percent' => $gets > 0 ? 100 * $missed / $gets : 100, 'asked' => (int) $count, 'done' => (int) $count - $refused,
    'right' => $right, 'said' => $said]), "\n";
