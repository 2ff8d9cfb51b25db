<?php
// Prints the demo's table from the answers that demo/work.php left in FOLDER. Ends with 1 if any value was wrong.

$folder = $argv[1];

/** The runs of one backend as one: each job's median time, and its worst count of right values. */
function summary(array $runs): array
{
    $jobs = [];
    foreach ($runs[0]['jobs'] as $number => $job) {
        $same = array_map(fn($run) => $run['jobs'][$number], $runs);
        $seconds = array_column($same, 'seconds');
        sort($seconds);
        $jobs[] = ['seconds' => $seconds[intdiv(count($seconds), 2)], 'right' => min(array_column($same, 'right'))] + $job;
    }
    return ['label' => $runs[0]['version'], 'jobs' => $jobs];
}

// Each peer stands beside those lines of PHP that ours runs unchanged.
$titles = ['leveret' => 'apcu_*: ours', 'apcu' => 'APCu', 'files' => 'files', 'leveret-memcached' => 'Memcached: ours', 'memcached' => 'php-memcached'];
$ours_of = ['apcu' => 'leveret', 'files' => 'leveret', 'memcached' => 'leveret-memcached'];
$backends = [];
foreach ($titles as $name => $title) {
    $files = glob("$folder/$name.*.json");
    $backends[$name] = summary(array_map(fn($file) => json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR), $files));
}

/** A cell of a peer: its seconds, how many times ours that is, and a remark when it did not get every value right. */
function cell(array $job, ?array $ours): string
{
    if ($job['seconds'] === null) {
        $text = '';
    } else {
        $text = sprintf('%.3f s', $job['seconds']);
        $text .= $ours ? sprintf(' %7s', sprintf($job['seconds'] < 10 * $ours['seconds'] ? '%.1fx' : '%.0fx', $job['seconds'] / $ours['seconds'])) : '';
    }
    $wrong = $job['wanted'] - $job['right'];
    return $wrong ? "$text ($wrong WRONG)" : $text;
}

printf("\n%-36s", 'seed: job');
foreach ($titles as $title) {
    printf(' %17s', $title);
}
printf("   %s\n", 'values right');
$failed = false;
foreach ($backends['leveret']['jobs'] as $number => $job) {
    printf('%-36s', $job['title']);
    foreach ($backends as $name => $backend) {
        printf(' %17s', cell($backend['jobs'][$number], isset($ours_of[$name]) ? $backends[$ours_of[$name]]['jobs'][$number] : null));
        $failed = $failed || $backend['jobs'][$number]['right'] !== $job['wanted'];
    }
    printf("   %s of %s\n", number_format(min(array_map(fn($backend) => $backend['jobs'][$number]['right'], $backends))), number_format($job['wanted']));
}
echo "\n2.0x: took twice the time of ours by the same PHP code. Only the cache calls are timed; every value is compared, of all backends.\n";
foreach ($titles as $name => $title) {
    echo $title, ': ', $backends[$name]['label'], '; ';
}
printf("PHP %s, %s cores.\n", PHP_VERSION, trim((string) shell_exec('nproc')));
exit($failed ? 1 : 0);
