<?php
// Prints the table of seed 004 from the answers that demo/seed004/work.php left in FOLDER. Words: FOLDER CALLS.

[, $folder, $calls] = $argv;

/** Seconds of each job: the median of a side's rounds. */
function medians(string $pattern): array
{
    $rounds = array_map(fn ($file) => json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR), glob($pattern));
    $medians = [];
    foreach (array_keys($rounds[0]) as $job) {
        $seconds = array_column($rounds, $job);
        sort($seconds);
        $medians[$job] = $seconds[intdiv(count($seconds), 2)];
    }
    return $medians;
}

$ours = medians("$folder/004-leveret.*.json");
$originals = medians("$folder/004-originals.*.json");
$count = number_format((int) $calls);
$titles = ['script' => "script: $count gets of each, and files", 'connections' => 'the same, each with new connections', 'redis' => 'page redis.php',
    'memcached' => 'page memcached.php', 'filesystem' => 'page filesystem.php', 'empty' => 'page empty.php'];
printf("\n%-44s %17s %22s\n", 'seed 004, word for word', 'ours', 'php-redis, -memcached');
foreach ($titles as $job => $title) {
    [$scale, $unit] = $job === 'script' || $job === 'connections' ? [1, 's'] : [1e6, 'us'];
    printf("004: %-39s %14.3f %s %14.3f %s %6.1fx\n", $title, $ours[$job] * $scale, str_pad($unit, 2), $originals[$job] * $scale, str_pad($unit, 2), $originals[$job] / $ours[$job]);
}
echo "\nOurs: both classes on one `leveret serve`; the others on Redis and memcached, over TCP as the seed has it. Pages are php-fpm's, for one visitor.\n";
echo "The servers have counted each get as a hit, and each page's value is compared.\n";
