<?php
/*
 * One turn of one cache: php turn.php first|read|write LENGTH KEYS ADDRESS. Who includes it has write_all() and read_all(), and may
 * have value(), which makes a value of that length, and how many VALUES there are.
 *
 * Prints {"seconds", "client_cpu", "server_cpu", "asked", "done", "right", "said"}. Two processes, one of which writes and the other reads, so that no value can
 * come from what a process remembers of its own writes. Each key has one of 997 values, and another in the second pass: a copy
 * that somebody kept of the first pass is a wrong value. The second pass reads each key once, in an order that nobody has seen
 * before. What writes is read back whole when the clock has stopped. `first` has the second pass alone: nobody has read anything.
 */
[, $what, $length, $count, $address] = $argv;
defined('VALUES') || define('VALUES', 997);

$said = null;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said ??= $level === E_DEPRECATED ? null : $text;
    return true;
});

$keys = [];
for ($i = 0; $i < (int) $count; $i++) {
    $keys[$i * 7 % VALUES + VALUES * $i] = "key_$i"; // the number says which value
}
$values = [];
for ($i = 0; $i < VALUES; $i++) {
    $values[] = function_exists('value') ? value($i, (int) $length) : str_pad("$i:", (int) $length, md5((string) $i));
}

function connect(string $address): mixed
{
    $cache = null;
    /*OPEN*/
    return $cache;
}

/** Seconds of processor time: of this process, and of all threads of the servers (null where there are none). */
function cpu(): array
{
    $used = getrusage();
    $client = $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
    $nanos = null;
    foreach (file('server/pids', FILE_IGNORE_NEW_LINES) ?: [] as $pid) {
        foreach (glob("/proc/$pid/task/*/schedstat") as $thread) {
            $nanos += (int) file_get_contents($thread);
        }
    }
    return [$client, $nanos === null ? null : $nanos / 1e9];
}

/** Work that the clock leaves out: large values take longer to compare than to fetch. */
function aside(callable $work): mixed
{
    global $aside;
    $begin = hrtime(true);
    $result = $work();
    $aside += hrtime(true) - $begin;
    return $result;
}

/** [[seconds, client's CPU, servers' CPU], what the work returns]. */
function timed(callable $work): array
{
    global $aside;
    $aside = 0;
    [$client, $server] = cpu();
    $begin = hrtime(true);
    $count = $work();
    $seconds = (hrtime(true) - $begin - $aside) / 1e9;
    [$client_then, $server_then] = cpu();
    // What was left out of the time cannot be left out of the client's processor time.
    return [[$seconds, $aside > 0 ? null : $client_then - $client, $server === null ? null : $server_then - $server], $count];
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
    [$figures, $right, $reader_said] = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $said ??= $reader_said;
    return [$figures, $right];
};

$cache = connect($address);
if ($what !== 'first') {
    write_all($cache, $address, $keys, $values, 0);
}
if ($what !== 'write') {
    if ($what === 'read') {
        $read(0);
    }
    $done = write_all($cache, $address, $keys, $values, 1);
    [$figures, $right] = $read(1);
} else {
    [$figures, $done] = timed(fn () => write_all($cache, $address, $keys, $values, 1));
    $right = $read(1)[1];
}
fclose($ours);
pcntl_wait($status);
[$seconds, $client, $server] = $figures;
echo json_encode(['seconds' => $seconds, 'client_cpu' => $client, 'server_cpu' => $server, 'asked' => count($keys), 'done' => $done,
    'right' => $right, 'said' => $said]), "\n";
