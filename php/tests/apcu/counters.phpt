--TEST--
apcu_cache_info: counters say what each call did, begin anew with start_time, and num_entries is the length of the list
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';

function counted(string $what, callable $call): void
{
    $names = ['num_hits', 'num_misses', 'num_inserts'];
    $before = apcu_cache_info(true);
    $call();
    $after = apcu_cache_info(true);
    echo $what, ': ', implode(' ', array_map(fn ($name) => $after[$name] - $before[$name], $names)), "\n";
}

apcu_store(['text' => 'abc', 'digits' => '12', 'number' => 5, 'float' => 1.5, 'array' => [1]]);
foreach (['text', 'digits', 'float', 'array'] as $key) {
    counted("inc $key", fn () => apcu_inc($key));
    counted("dec $key", fn () => apcu_dec($key));
    counted("cas $key", fn () => apcu_cas($key, 1, 2));
}
counted('cas mismatch', fn () => apcu_cas('number', 1, 2));
counted('cas', fn () => apcu_cas('number', 5, 2));
counted('inc', fn () => apcu_inc('number'));
counted('cas of nothing', fn () => apcu_cas('none', 5, 2));
counted('inc of nothing', fn () => apcu_inc('new'));
counted('dec of nothing', fn () => apcu_dec('new too'));
counted('entry computed', fn () => apcu_entry('entry', fn () => 1));
counted('entry read', fn () => apcu_entry('entry', fn () => 1));
counted('entry of an exception', function () {
    try {
        apcu_entry('never', fn () => throw new Exception);
    } catch (Exception) {
    }
});
counted('entry in an entry', fn () => apcu_entry('outer', fn () => apcu_entry('inner', fn () => 1)));

apcu_store('expired', 1, -1);
$info = apcu_cache_info();
var_dump($info['num_entries'] === count($info['cache_list']), in_array('expired', array_column($info['cache_list'], 'info')));

// A status page divides the number of requests by the time since start_time, if there were any.
apcu_clear_cache();
$info = apcu_cache_info(true);
var_dump($info['num_hits'], $info['num_misses'], $info['num_inserts'], $info['num_entries'], abs(time() - $info['start_time']) < 60);
--EXPECT--
inc text: 0 0 0
dec text: 0 0 0
cas text: 0 0 0
inc digits: 0 0 0
dec digits: 0 0 0
cas digits: 0 0 0
inc float: 0 0 0
dec float: 0 0 0
cas float: 0 0 0
inc array: 0 0 0
dec array: 0 0 0
cas array: 0 0 0
cas mismatch: 0 0 0
cas: 0 0 0
inc: 0 0 0
cas of nothing: 0 0 0
inc of nothing: 0 0 1
dec of nothing: 0 0 1
entry computed: 0 1 1
entry read: 1 0 0
entry of an exception: 0 1 0
entry in an entry: 0 2 2
bool(true)
bool(false)
float(0)
float(0)
float(0)
int(0)
bool(true)
