--TEST--
Under constant rewriting each fetch gives a whole version, and never an older one
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', array_fill(0, 50, 0));
$child = fork(function () {
    for ($n = 1; $n <= 20000; $n++) {
        apcu_store('a', array_fill(0, 50, $n));
    }
});
$last = 0;
do {
    $a = apcu_fetch('a');
    if (!is_array($a) || $a !== array_fill(0, 50, $a[0]) || $a[0] < $last) {
        echo "wrong\n";
        break;
    }
    $last = $a[0];
} while ($last < 20000);
pcntl_waitpid($child, $status);
var_dump($last);
--EXPECT--
int(20000)
