--TEST--
On the command line the cache is private to the process and its forks, and empty at the start
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
// Not used before the fork.
pcntl_waitpid(fork(fn () => apcu_store('child', [1, 2]) && pcntl_waitpid(fork(fn () => apcu_store('grandchild', 'x')), $status)), $status);
var_dump(apcu_fetch('child')[1], apcu_fetch('grandchild'));
apcu_store('a', 1);
for ($run = 0; $run < 2; $run++) {
    echo other_php('var_dump(apcu_cache_info(true)["num_entries"], apcu_exists("a"), apcu_store("b", 1));');
}
// No command of this process inherits it, and none has left files.
var_dump(apcu_exists('b'), glob(getenv('LEVERET_DIR') . '/*'));

// Each process has a life sign of its own: the lease of a killed child is free.
$child = fork(fn () => apcu_entry('slow', function () {
    apcu_store('computes', true);
    sleep(60);
}));
wait_until(fn () => apcu_exists('computes'));
exec("kill -9 $child");
pcntl_waitpid($child, $status);
var_dump(PEER ? 'the parent' : apcu_entry('slow', fn () => 'the parent'));
--EXPECT--
int(2)
string(1) "x"
int(0)
bool(false)
bool(true)
int(0)
bool(false)
bool(true)
bool(false)
array(0) {
}
string(10) "the parent"
