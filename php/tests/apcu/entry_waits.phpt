--TEST--
apcu_entry: one process computes, another waits for its value
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('computing', false);
$child = fork(function () {
    apcu_entry('a', function () {
        apcu_store('computing', true);
        usleep(300000);
        return 'by the child';
    });
});
while (!apcu_fetch('computing')) {
    usleep(1000);
}
var_dump(apcu_entry('a', fn () => 'by the parent'));
pcntl_waitpid($child, $status);
--EXPECT--
string(12) "by the child"
