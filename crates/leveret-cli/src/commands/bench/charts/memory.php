<?php
/*
 * One turn of one cache: php turn.php KEYS ADDRESS FOLDER
 *
 * Prints {"bytes", "asked", "done", "right", "said"}. This process stores every item once and looks at what the host then pays; another
 * one reads all of them back.
 */
[, $count, $address] = $argv;

$said = null;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said ??= $level === E_DEPRECATED ? null : $text;
    return true;
});

/** [key, value]: no two values are the same, and their lengths are spread evenly. */
function item(int $number): array
{
    $digest = md5((string) $number);
    return ["user:$number:profile", substr(str_repeat($digest, 16), 0, 20 + crc32($digest) % 481)];
}

function connect(string $address): mixed
{
    $cache = null;
    /*OPEN*/
    return $cache;
}

/** Of the servers: what is theirs alone, so neither programs and libraries nor the pages of an arena. */
function servers(): int
{
    $kilobytes = 0;
    foreach (file('server/pids', FILE_IGNORE_NEW_LINES) as $pid) {
        $kilobytes += (int) preg_replace('/^.*RssAnon:\s+(\d+).*$/s', '$1', file_get_contents("/proc/$pid/status"));
    }
    return 1024 * $kilobytes;
}

/** Blocks of files: arenas with and without a name, and what else a cache keeps there. */
function files(): int
{
    $blocks = 0;
    foreach (['client', 'server'] as $folder) {
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS)) as $file) {
            $blocks += lstat((string) $file)['blocks'];
        }
    }
    foreach (glob('/proc/self/fd/*') as $open) {
        $blocks += str_starts_with((string) @readlink($open), '/memfd:') ? stat($open)['blocks'] : 0;
    }
    return 512 * $blocks;
}

/** Pages without a file that this process shares with its children: APCu's memory, and Yac's. */
function shared(): int
{
    preg_match_all('~ /dev/zero \(deleted\)\n(?:[A-Z].*\n)*?Rss: +(\d+) kB~', file_get_contents('/proc/self/smaps'), $found);
    return 1024 * array_sum($found[1]);
}

[$ours, $reader] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
if (pcntl_fork() === 0) {
    fclose($ours);
    if (fgets($reader) !== false) {
        $cache = connect($address);
        $right = 0;
        for ($i = 0; $i < (int) $count; $i++) {
            [$key, $value] = item($i);
            if ((/*GET*/) === $value) {
                $right++;
            }
        }
        fwrite($reader, json_encode([$right, $said]) . "\n");
    }
    exit(0);
}
fclose($reader);
$cache = connect($address);
$key = 'nobody';
@(/*GET*/); // a connection and its buffers are not an item's
$said = null;
$before = servers();
$done = 0;
for ($i = 0; $i < (int) $count; $i++) {
    [$key, $value] = item($i);
    if (/*SET*/) {
        $done++;
    }
}
/*END*/
// What is shared, and files, are there for items alone: all of it counts, also what was taken before the first one.
$bytes = servers() - $before + files() + shared();
fwrite($ours, "read\n");
[$right, $reader_said] = json_decode(fgets($ours) ?: throw new RuntimeException('the process that reads has died'), true);
pcntl_wait($status);
echo json_encode(['bytes' => $bytes / (int) $count, 'asked' => (int) $count, 'done' => $done, 'right' => $right,
    'said' => $said ?? $reader_said]), "\n";
