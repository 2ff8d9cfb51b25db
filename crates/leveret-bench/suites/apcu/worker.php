<?php
/*
 * One side as a process that lives through all rounds of a row: php worker.php SIDE
 *
 * It reads one JSON command a line and answers each with one JSON line:
 *   {"do": "prepare", "workload": NAME, "size": {...}}   stores what the workload needs and starts its helper processes
 *   {"do": "measure"}                                    one round; the answer holds the figure, and how many answers were right
 * What the helpers share with this process they share by fork, since APCu can be shared in no other way; ours does the same.
 */
require __DIR__ . '/provider.php';
require __DIR__ . '/helper.php';
require __DIR__ . '/workloads.php';
require __DIR__ . '/walks.php';
require __DIR__ . '/readers.php';
require __DIR__ . '/together.php';
require __DIR__ . '/fill.php';
require __DIR__ . '/smallest.php';
require __DIR__ . '/fresh.php';
require __DIR__ . '/full.php';

assert_provider($argv[1] ?? '');

/** Of a workload that counts calls and their nanoseconds: seconds for each. */
function told(array $sum): array
{
    return isset($sum['figure']) ? $sum : [
        'figure' => $sum['ns'] / $sum['calls'] / 1e9, 'asked' => $sum['calls'], 'right' => max(0, $sum['calls'] - $sum['wrong']),
    ] + array_intersect_key($sum, ['beside' => 0, 'said' => 0]);
}

$workload = null;
while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($command['do']) {
        'prepare' => ['ready' => ($workload = new $command['workload']($command['size'])) !== null],
        'measure' => told($workload->measure($command)),
        // Another worker asks, who adds up what several do.
        'sum' => $workload->measure($command),
    };
    echo json_encode($answer), "\n";
}
