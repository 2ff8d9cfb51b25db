<?php
/*
 * Random orders of options, addServer() and addServers(), each made by its number:
 *   php memcached_orders.php places FIRST COUNT                 where 300 keys live after each, by getServerByKey(); no server is asked
 *   php memcached_orders.php store|find FIRST COUNT WORD SERVER,SERVER,...   stores 300 keys after each, or counts those that are found
 * The test runs it with pecl/memcached and with ours, and compares.
 */
error_reporting(E_ALL);
set_error_handler(fn() => true);
[, $mode, $first, $count] = $argv;
const KEYS = 300;
const HOSTS = ['127.0.0.1', '127.0.0.2', 'localhost', '127.0.0.1', '/run/one.sock', '/run/two.sock', 'alpha.example', 'b'];
$real = array_map(fn($place) => str_starts_with($place, '/') ? [$place] : explode(':', $place), isset($argv[5]) ? explode(',', $argv[5]) : []);

function one_of(array $values): mixed
{
    return $values[mt_rand(0, count($values) - 1)];
}

/** A host, a port (of a socket any that it never has) and a weight. */
function server(): array
{
    global $real;
    [$host, $port] = ($real ? one_of($real) : [one_of(HOSTS), one_of([11211, 11211, 11212, 0, 80, 11213])]) + [1 => 0];
    return [$host, $host[0] === '/' ? one_of([0, 0, 11211, 5]) : (int) $port, one_of([0, 0, 0, 1, 2, 3, 10])];
}

function step(Memcached $pool): void
{
    global $mode;
    switch (mt_rand(0, 12)) {
        case 0: case 1: case 2: $pool->addServer(...server()); return;
        case 3: case 4: $pool->addServers(array_map(fn() => server(), range(1, mt_rand(1, 4)))); return;
        case 5: $chosen = ['DISTRIBUTION', one_of([0, 1, 1, 1, 6])]; break;
        case 6: $chosen = ['LIBKETAMA_COMPATIBLE', one_of([0, 1, 1])]; break;
        case 7: case 8: $chosen = ['HASH', one_of([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, -1, 77])]; break;
        case 9: $chosen = ['SORT_HOSTS', one_of([0, 1, 1])]; break;
        case 10: $chosen = ['LIBKETAMA_HASH', mt_rand(-1, 11)]; break;
        case 11: $chosen = one_of([['BINARY_PROTOCOL', 1], ['BINARY_PROTOCOL', 0], ['NO_BLOCK', 1], ['REMOVE_FAILED_SERVERS', 1], ['VERIFY_KEY', 1], ['TCP_NODELAY', 1]]); break;
        case 12: $chosen = one_of([['HASH_WITH_PREFIX_KEY', 1], ['HASH_WITH_PREFIX_KEY', 0], ['PREFIX_KEY', 'p.'], ['PREFIX_KEY', ''], 'reset']); break;
    }
    // A list of real servers is not given up: too few would be left of it.
    $chosen === 'reset' ? ($mode === 'places' && mt_rand(0, 1) ? $pool->resetServerList() : null) : $pool->setOption(constant("Memcached::OPT_$chosen[0]"), $chosen[1]);
}

for ($order = (int) $first; $order < $first + $count; $order++) {
    mt_srand($order);
    $pool = new Memcached();
    for ($steps = mt_rand(2, 12); $steps > 0; $steps--) step($pool);
    if ($mode === 'places') {
        $places = array_map(fn($key) => is_array($server = $pool->getServerByKey("key-$key")) ? "$server[host]:$server[port]" : 'none', range(1, KEYS));
        $options = array_map(fn($name) => $pool->getOption(constant("Memcached::OPT_$name")), ['HASH', 'DISTRIBUTION', 'LIBKETAMA_COMPATIBLE', 'SORT_HOSTS', 'LIBKETAMA_HASH']);
        echo $order, ' ', json_encode([$pool->getServerList(), $options]), ' ', md5(implode(' ', $places)), "\n";
        continue;
    }
    $items = array_combine(array_map(fn($key) => "$argv[4]-$order-$key", range(1, KEYS)), range(1, KEYS));
    echo $order, ' ', $mode === 'store' ? (int) $pool->setMulti($items) : count(array_intersect_assoc($pool->getMulti(array_keys($items)) ?: [], $items)), "\n";
}
