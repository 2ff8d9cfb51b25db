--TEST--
apcu_entry, remember(): who waits for another process is ended by the time limit or a signal's handler
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$cache = new Leveret\Cache('waits');
$child = fork(function () use ($cache) {
    apcu_entry('k', fn () => $cache->remember('k', null, function () {
        apcu_store('computes', true);
        sleep(60);
    }));
});
wait_until(fn () => apcu_exists('computes'));
pcntl_async_signals(true);
$signals = 0;
pcntl_signal(SIGALRM, function () use (&$signals) {
    pcntl_alarm(1);
    // One that comes back does not end the wait.
    if (++$signals % 2 === 0) {
        throw new Exception('the handler');
    }
});
foreach ([fn () => apcu_entry('k', fn () => 'computed'), fn () => $cache->remember('k', null, fn () => 'computed')] as $wait) {
    try {
        pcntl_alarm(1);
        var_dump($wait());
    } catch (Exception $exception) {
        echo $exception->getMessage(), ' ', $signals, "\n";
    }
}
pcntl_alarm(0);
exec("kill -9 $child");
pcntl_waitpid($child, $status);
var_dump(apcu_entry('k', fn () => 'computed'));
--EXPECT--
the handler 2
the handler 4
string(8) "computed"
