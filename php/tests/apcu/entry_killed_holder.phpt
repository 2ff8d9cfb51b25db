--TEST--
apcu_entry: a process that is killed in its callback blocks no other process
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('computing', false);
$child = fork(function () {
    apcu_entry('a', function () {
        apcu_store('computing', true);
        sleep(60);
    });
});
while (!apcu_fetch('computing')) {
    usleep(1000);
}
exec("kill -9 $child");
pcntl_waitpid($child, $status);
var_dump(apcu_exists('a'), apcu_entry('a', fn () => 'by the parent'));
--EXPECT--
bool(false)
string(13) "by the parent"
