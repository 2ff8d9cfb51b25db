<?php
// Prints the demo's table from the answers that demo/work.php left in FOLDER. Ends with 1 if one of our values was wrong.

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

$titles = ['leveret' => 'Leveret', 'apcu' => 'APCu', 'files' => 'files', 'memcached' => 'memcached'];
$backends = [];
foreach ($titles as $name => $title) {
    $files = glob("$folder/$name.*.json");
    if ($files) {
        $backends[$name] = summary(array_map(fn($file) => json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR), $files));
    }
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

printf("\n%-36s %10s", 'seed: job', 'Leveret');
foreach (array_slice(array_keys($backends), 1) as $name) {
    printf(' %18s', $titles[$name]);
}
printf("   %s\n", 'values right');
$failed = false;
foreach ($backends['leveret']['jobs'] as $number => $ours) {
    printf('%-36s %10s', $ours['title'], cell($ours, null));
    foreach (array_slice($backends, 1) as $backend) {
        printf(' %18s', cell($backend['jobs'][$number], $ours));
    }
    printf("   %s of %s\n", number_format($ours['right']), number_format($ours['wanted']));
    $failed = $failed || $ours['right'] !== $ours['wanted'];
}
echo "\n2.0x: took twice Leveret's time. Only the cache calls are timed; every value is compared, of all backends.\n";
foreach ($backends as $name => $backend) {
    printf("%s %s; ", $titles[$name], $backend['label']);
}
printf("PHP %s, %s cores.\n", PHP_VERSION, trim((string) shell_exec('nproc')));
exit($failed ? 1 : 0);
