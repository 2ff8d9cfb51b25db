--TEST--
A write of another process is visible to the next fetch
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['n' => 0]);
for ($n = 1; $n <= 20; $n++) {
    for ($i = 0; $i < 4; $i++) {
        $a = apcu_fetch('a');
        if ($a['n'] !== $n - 1) {
            echo "wrong\n";
        }
    }
    pcntl_waitpid(fork(fn () => apcu_store('a', ['n' => $n])), $status);
}
var_dump(apcu_fetch('a'));
--EXPECT--
array(1) {
  ["n"]=>
  int(20)
}
