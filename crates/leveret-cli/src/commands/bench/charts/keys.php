<?php
/*
 * One turn of one cache: php turn.php read|write LENGTH KEYS ADDRESS
 *
 * Prints {"seconds", "asked", "done", "right", "said"}. Two processes, one of which writes and the other reads, so that no value can
 * come from what a process remembers of its own writes. Each key has one of 997 values, and another in the second pass: a copy
 * that somebody kept of the first pass is a wrong value. The second pass reads each key once, in an order that nobody has seen
 * before. What writes is read back whole when the clock has stopped.
 */
[, $what, $length, $count, $address] = $argv;
const VALUES = 997;

$said = null;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said ??= $text;
    return true;
});

$keys = [];
for ($i = 0; $i < (int) $count; $i++) {
    $keys[$i * 7 % VALUES + VALUES * $i] = "key_$i"; // the number says which value
}
$values = [];
for ($i = 0; $i < VALUES; $i++) {
    $values[] = str_pad("$i:", (int) $length, md5((string) $i));
}

/** Returns how many calls said yes. */
function write_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $done = 0;
    foreach ($keys as $number => $key) {
        $value = $values[($number + $pass) % VALUES];
        if (/*SET*/) {
            $done++;
        }
    }
    return $done;
}

/** Returns how many values were right. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach ($keys as $number => $key) {
        if ((/*GET*/) === $values[($number + $pass) % VALUES]) {
            $right++;
        }
    }
    return $right;
}

function connect(string $address): mixed
{
    $cache = null;
    /*OPEN*/
    return $cache;
}

function timed(callable $work): array
{
    $begin = hrtime(true);
    $count = $work();
    return [(hrtime(true) - $begin) / 1e9, $count];
}

[$ours, $readers] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
if (pcntl_fork() === 0) {
    fclose($ours);
    mt_srand(7);
    $numbers = array_keys($keys);
    shuffle($numbers);
    $shuffled = [];
    foreach ($numbers as $number) {
        $shuffled[$number] = $keys[$number];
    }
    $cache = null;
    while (($pass = fgets($readers)) !== false) {
        $cache ??= connect($address);
        // The first pass in the other order: it warms up, and teaches nothing of the next.
        $order = (int) $pass === 0 ? $keys : $shuffled;
        fwrite($readers, json_encode([...timed(fn () => read_all($cache, $address, $order, $values, (int) $pass)), $said]) . "\n");
    }
    exit(0);
}
fclose($readers);
$read = function (int $pass) use ($ours, &$said): array {
    fwrite($ours, "$pass\n");
    $line = fgets($ours) ?: throw new RuntimeException('the process that reads has died');
    [$seconds, $right, $reader_said] = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $said ??= $reader_said;
    return [$seconds, $right];
};

$cache = connect($address);
write_all($cache, $address, $keys, $values, 0);
if ($what === 'read') {
    $read(0);
    $done = write_all($cache, $address, $keys, $values, 1);
    [$seconds, $right] = $read(1);
} else {
    [$seconds, $done] = timed(fn () => write_all($cache, $address, $keys, $values, 1));
    $right = $read(1)[1];
}
fclose($ours);
pcntl_wait($status);
echo json_encode(['seconds' => $seconds, 'asked' => count($keys), 'done' => $done, 'right' => $right, 'said' => $said]), "\n";
