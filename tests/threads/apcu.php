<?php
/* apcu_*: keys of each thread's own, keys that all write, counters, leases, and walks while others store. */
require __DIR__ . '/thread.inc';

const ROUNDS = 40;

if ($is_last) {
    $threads = apcu_fetch('threads');
    $requests = apcu_fetch('requests');
    ensure(is_int($threads) && is_int($requests) && $requests >= $threads, 'nobody was here');
    ensure(apcu_fetch('counted') === $requests * ROUNDS, 'a count was lost: ' . apcu_fetch('counted') . ' of ' . $requests * ROUNDS);
    ensure(apcu_fetch('computed') === 10, 'a value was computed twice, or not: ' . apcu_fetch('computed'));
    return;
}

if ($request === 0) {
    apcu_inc('threads');
}
apcu_inc('requests');

/* The previous request's items; it may have run on another thread of the operating system. */
ensure($request === 0 || version_in(apcu_fetch("own/$thread"), "own/$thread") === ($request - 1) * ROUNDS + ROUNDS - 1, 'an own value was lost');

for ($round = 0; $round < ROUNDS; $round++) {
    apcu_inc('counted');
    $version = $request * ROUNDS + $round;
    ensure(apcu_store("own/$thread", value_of("own/$thread", $version)), 'not stored');
    /* Three times: the third comes from the decoded-value cache. A script's change does not change the item. */
    for ($time = 0; $time < 3; $time++) {
        $mine = apcu_fetch("own/$thread");
        ensure(version_in($mine, "own/$thread") === $version, 'not the newest version');
        $mine[0]['version'] = -1;
        unset($mine[1]);
    }
    $shared = 'shared/' . $round % 4;
    apcu_store($shared, value_of($shared, $version));
    version_in(apcu_fetch($shared), $shared);
    $name = 'entry/' . $round % 10;
    $entry = apcu_entry($name, function (string $name) {
        apcu_inc('computed');
        usleep(2000);
        return value_of($name, 7);
    });
    ensure(version_in($entry, $name) === 7, 'another value than the computed one');
}

$seen = [];
foreach (new APCUIterator('/^(own|shared|entry)/') as $key => $item) {
    ensure(!isset($seen[$key]), "$key came twice");
    $seen[$key] = version_in($item['value'], $key);
}
ensure(isset($seen["own/$thread"], $seen['entry/0'], $seen['entry/9']), 'the walk has missed an item');

/* A callback that exits holds a lease. The end of its request releases it, and the thread's next request takes it. */
apcu_entry("left/$thread", fn () => exit(0));
ensure(false, 'nobody left');
