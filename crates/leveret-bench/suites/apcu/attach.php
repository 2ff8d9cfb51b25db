<?php
/*
 * A fresh process at an arena that is there: php attach.php ITEMS BYTES READS
 *
 * Prints the time of its first fetch, which opens the arena, how many page faults the READS - 1 fetches after it took, and by how much its
 * private memory and its page tables have grown after them. Private is what this process has for itself: pages of the arena that another process maps too are not counted,
 * and the process that filled it is alive.
 */
require __DIR__ . '/provider.php';
require __DIR__ . '/fill.php';

assert_provider('leveret');
[, $items, $bytes, $reads] = $argv;

mt_srand(20211121);
$numbers = array_map(fn () => mt_rand(0, $items - 1), range(1, $reads));
$keys = array_map(Fill::key(...), $numbers);
$expected = array_map(fn ($number) => Fill::value($number, $bytes), $numbers);
$out = array_fill(0, $reads, null);
$kilobytes = function (): array {
    preg_match_all('/^Private_\w+:\s+(\d+)/m', file_get_contents('/proc/self/smaps_rollup'), $private);
    preg_match('/^VmPTE:\s+(\d+)/m', file_get_contents('/proc/self/status'), $tables);
    return [array_sum($private[1]), (int) $tables[1]];
};
$kilobytes();
$before = $kilobytes();

$start = hrtime(true);
$out[0] = apcu_fetch($keys[0]);
$ns = hrtime(true) - $start;
$faults = getrusage()['ru_minflt'];
for ($i = 1; $i < $reads; $i++) {
    $out[$i] = apcu_fetch($keys[$i]);
}
$faults = getrusage()['ru_minflt'] - $faults;
$after = $kilobytes();

echo json_encode([
    'ns' => $ns,
    'faults' => $faults,
    'private_kb' => $after[0] - $before[0],
    'tables_kb' => $after[1] - $before[1],
    'wrong' => count(array_diff_assoc($out, $expected)),
]), "\n";
