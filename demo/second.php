<?php
// A second process: reads all that the first has stored, and counts what is right. Words: KEYS PID-OF-THE-FIRST.

$name = 'leveret';
require __DIR__ . '/provider.php';
[, $keys, $first] = $argv;
if (file_exists("/proc/$first")) {
    fwrite(STDERR, "process $first has not ended\n");
    exit(1);
}
$right = 0;
for ($i = 0; $i < $keys; $i++) {
    $right += (int) (apcu_fetch(md5((string) $i)) === crc32((string) $i));
}
foreach (require __DIR__ . '/types.php' as $key => $value) {
    $right += (int) (apcu_fetch($key) === $value);
}
printf("    PHP process %d reads %s of the %s values right (process %d stored them)\n", getmypid(), number_format($right), number_format($keys + 4), $first);
exit($right === $keys + 4 ? 0 : 1);
