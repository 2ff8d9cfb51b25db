--TEST--
A forked child shares the cache, both ways
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 'from the parent');
$child = fork(function () {
    apcu_store('b', apcu_fetch('a') . ', read by the child');
    apcu_store('a', 'rewritten');
    for ($i = 0; $i < 1000; $i++) {
        apcu_inc('n');
    }
});
for ($i = 0; $i < 1000; $i++) {
    apcu_inc('n');
}
pcntl_waitpid($child, $status);
var_dump(apcu_fetch('b'), apcu_fetch('a'), apcu_fetch('n'));
--EXPECT--
string(34) "from the parent, read by the child"
string(9) "rewritten"
int(2000)
