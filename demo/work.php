<?php
// One process, one backend, all jobs of the seeds. Words: NAME BACKEND KEYS FOLDER ANSWER.
// Writes its figures as JSON to ANSWER, for demo/table.php.
// The clock runs only while the cache works: keys and values are made before, and every value is compared afterwards.

[, $name, $backend, $keys, $folder, $answer] = $argv;
require __DIR__ . '/provider.php';
require __DIR__ . "/backend_$backend.php";
open_backend($folder);
file_put_contents("$folder/$name.pid", getmypid());

const BATCH = 1000;

/** Runs one job over md5 keys in batches and reports seconds, and how many values were right (for a write: accepted). */
function job(string $title, int $keys, callable $value_of, callable $run): array
{
    $nanoseconds = $right = 0;
    for ($from = 0; $from < $keys; $from += BATCH) {
        $items = [];
        for ($i = $from; $i < min($from + BATCH, $keys); $i++) {
            $items[md5((string) $i)] = $value_of($i);
        }
        $began = hrtime(true);
        $answers = $run($items);
        $nanoseconds += hrtime(true) - $began;
        $right += is_int($answers) ? $answers : count_right($items, $answers);
    }
    return ['title' => $title, 'seconds' => $nanoseconds / 1e9, 'right' => $right, 'wanted' => $keys];
}

function count_right(array $items, array $answers): int
{
    $right = 0;
    foreach ($items as $key => $value) {
        $right += (int) (array_key_exists($key, $answers) && $answers[$key] === $value);
    }
    return $right;
}

$write = fn(array $items) => write_all($items);
$read = fn(array $items) => read_all(array_keys($items), is_string(reset($items)));
$half = intdiv((int) $keys, 2);
$short = fn(int $i) => "value $i";
$long = fn(int $i) => str_pad("value $i ", 8192, md5("long $i"));
$number = fn(int $i) => crc32((string) $i);

$count = number_format($half);
$jobs = [
    job("000: write $count short strings", $half, $short, $write),
    job("000: read $count short strings", $half, $short, $read),
    job("000: write $count strings of 8 KiB", $half, $long, $write),
    job("000: read $count strings of 8 KiB", $half, $long, $read),
];
clear_all();
$count = number_format((int) $keys);
$jobs[] = job("001: write $count crc32 numbers", (int) $keys, $number, $write);
$jobs[] = job("001: read $count crc32 numbers", (int) $keys, $number, $read);

// Seed 001's types; identical means the type too.
$types = require __DIR__ . '/types.php';
write_all($types);
$jobs[] = ['title' => '001: int, string, list, array', 'seconds' => null, 'right' => count_right($types, read_all(array_keys($types), false)), 'wanted' => count($types)];

file_put_contents($answer, json_encode(['version' => backend_version(), 'jobs' => $jobs]));
printf(" %.1f s\n", array_sum(array_column($jobs, 'seconds')));
