<?php
/* Several processes read, each its share of the keys, and one may write meanwhile. What is around it is in passes.php. */
define('READERS', (int) $argv[3]);
define('WRITER', (int) $argv[4]);

/** Returns how many values were right: of this pass, or of the next, which the writer brings and takes away. */
function read_all($cache, string $address, array $keys, array $values, int $pass): int
{
    $right = 0;
    foreach ($keys as $number => $key) {
        $value = /*GET*/;
        if ($value === $values[($number + $pass) % VALUES] || $value === $values[($number + $pass + WRITER) % VALUES]) {
            $right++;
        }
    }
    return $right;
}

/** What $read returns. From before it begins until it has ended, a process overwrites all keys again and again. */
function disturbed(callable $read, string $address, array $keys, array $values): array
{
    if (WRITER === 0) {
        return $read();
    }
    [$ours, $asked] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
    $pid = pcntl_fork();
    if ($pid === 0) {
        fclose($ours);
        stream_set_blocking($asked, false);
        $cache = connect($address);
        for ($pass = 2; true; $pass = 3 - $pass) {
            foreach (array_chunk($keys, 100, true) as $number => $batch) {
                if (write_all($cache, $address, $batch, $values, $pass) !== count($batch)) {
                    exit(1);
                }
                if ($number === 0) {
                    fwrite($asked, '.');
                }
                if (fread($asked, 1) === '' && feof($asked)) {
                    exit(0);
                }
            }
        }
    }
    fclose($asked);
    fread($ours, 1); // it is at work
    $found = $read();
    stream_socket_shutdown($ours, STREAM_SHUT_WR);
    pcntl_waitpid($pid, $status);
    if ($status !== 0) {
        fwrite(STDERR, pcntl_wifexited($status) ? "a store was refused while others read\n" : "the process that writes has died\n");
        exit(1);
    }
    return $found;
}
