<?php
/*
 * One turn of one cache: php turn.php first|read|write LENGTH [WORD...] KEYS ADDRESS FOLDER. Who includes it has write_all() and
 * read_all(), and may have value(), which makes a value of that length, how many VALUES there are, how many READERS, and disturbed(),
 * which has them read while something else goes on.
 *
 * Prints {"seconds", "client_cpu", "server_cpu", "asked", "done", "right", "said"}. One process writes and others read, so that no value can
 * come from what a process remembers of its own writes. Each key has one of 997 values, and another in the second pass: a copy
 * that somebody kept of the first pass is a wrong value. The second pass reads each key once, in an order that nobody has seen
 * before. What writes is read back whole when the clock has stopped. `first` has the second pass alone: nobody has read anything.
 */
[, $what, $length] = $argv;
[$count, $address] = array_slice($argv, -3);
defined('READERS') || define('READERS', 1);
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

/** [[begin and end in ns, client's CPU, servers' CPU], what the work returns]. */
function timed(callable $work): array
{
    global $aside;
    $aside = 0;
    [$client, $server] = cpu();
    $begin = hrtime(true);
    $count = $work();
    $end = hrtime(true) - $aside;
    [$client_then, $server_then] = cpu();
    // What was left out of the time cannot be left out of the client's processor time.
    return [[$begin, $end, $aside > 0 ? null : $client_then - $client, $server === null ? null : $server_then - $server], $count];
}

mt_srand(7);
$numbers = array_keys($keys);
shuffle($numbers);
$readers = [];
for ($reader = 0; $reader < READERS; $reader++) {
    [$ours, $asked] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
    if (pcntl_fork() === 0) {
        $readers = $ours = null; // closed
        $shuffled = [];
        for ($place = $reader; $place < count($numbers); $place += READERS) {
            $shuffled[$numbers[$place]] = $keys[$numbers[$place]];
        }
        $keys = $shuffled;
        ksort($keys);
        $cache = null;
        while (($pass = fgets($asked)) !== false) {
            $cache ??= connect($address);
            // The first pass in the other order: it warms up, and teaches nothing of the next.
            $order = (int) $pass === 0 ? $keys : $shuffled;
            fwrite($asked, json_encode([...timed(fn () => read_all($cache, $address, $order, $values, (int) $pass)), $said]) . "\n");
        }
        exit(0);
    }
    fclose($asked);
    $readers[] = $ours;
}
/** [the figures of each reader, right values of all]. */
$read = function (int $pass) use ($readers, &$said): array {
    foreach ($readers as $reader) {
        fwrite($reader, "$pass\n");
    }
    [$figures, $right] = [[], 0];
    foreach ($readers as $reader) {
        $line = fgets($reader) ?: throw new RuntimeException('the process that reads has died');
        [$figures[], $count, $reader_said] = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        $right += $count;
        $said ??= $reader_said;
    }
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
    $last = fn () => $read(1);
    [$figures, $right] = function_exists('disturbed') ? disturbed($last, $address, $keys, $values) : $last();
} else {
    [$figures[], $done] = timed(fn () => write_all($cache, $address, $keys, $values, 1));
    $right = $read(1)[1];
}
array_map(fclose(...), $readers);
while (pcntl_wait($status) > 0);
// From the first that began to the last that ended. Each has seen all of the servers' work, and only its own.
$column = fn (int $number): array => array_column($figures, $number);
$client = in_array(null, $column(2), true) ? null : array_sum($column(2));
echo json_encode(['seconds' => (max($column(1)) - min($column(0))) / 1e9, 'client_cpu' => $client, 'server_cpu' => max($column(3)),
    'asked' => count($keys), 'done' => $done, 'right' => $right, 'said' => $said]), "\n";
