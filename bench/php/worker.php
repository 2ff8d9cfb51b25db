<?php
/*
 * One side of the benchmark as a process that lives through all rounds of a row: php worker.php SIDE
 *
 * It reads one JSON command a line and answers each with one JSON line:
 *   {"do": "prepare", "workload": NAME, "size": {...}}   stores what the workload needs and starts its helper processes
 *   {"do": "measure", ...}                               one round; the answer holds ns, calls, hits and wrong
 * What the helpers share with this process they share by fork, since APCu can be shared in no other way; ours does the same.
 */
require __DIR__ . '/provider.php';
require __DIR__ . '/helper.php';
require __DIR__ . '/workloads.php';
require __DIR__ . '/walks.php';
require __DIR__ . '/readers.php';
require __DIR__ . '/fill.php';
require __DIR__ . '/full.php';

assert_provider($argv[1] ?? '');

$workload = null;
while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $answer = match ($command['do']) {
        'prepare' => [
            'ready' => ($workload = new $command['workload']($command['size'])) !== null,
            'provider' => extension_loaded('leveret') ? 'leveret ' . phpversion('leveret') : 'apcu ' . phpversion('apcu'),
        ],
        'measure' => $workload->measure($command),
    };
    echo json_encode($answer), "\n";
}
