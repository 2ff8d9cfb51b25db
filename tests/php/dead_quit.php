<?php
// One server that comes and goes, and the calls that reset it: quit(), and each option that reconnects. Words: SOCKET PLACE SEED. PLACE is where the
// object looks for the server: a link to SOCKET while it is there. Prints the result code of each call of random sequences.

[, $socket, $place, $seed] = $argv;
mt_srand((int) $seed);

const RECONNECT = ['OPT_NO_BLOCK', 'OPT_TCP_NODELAY', 'OPT_BINARY_PROTOCOL', 'OPT_TCP_KEEPALIVE', 'OPT_BUFFER_WRITES', 'OPT_SOCKET_SEND_SIZE'];
const KEEP = ['OPT_NOREPLY', 'OPT_SORT_HOSTS', 'OPT_POLL_TIMEOUT', 'OPT_HASH', 'OPT_LIBKETAMA_HASH', 'OPT_SERVER_TIMEOUT_LIMIT'];
const NUMBERS = ['OPT_SOCKET_SEND_SIZE' => [70000, 90000], 'OPT_POLL_TIMEOUT' => [6000, 5000]];

/** How a pool counts failures: below the failure limit, after which the original never uses a server again. */
$modes = [
    'default' => [Memcached::OPT_SERVER_FAILURE_LIMIT => 1000],
    'binary' => [Memcached::OPT_SERVER_FAILURE_LIMIT => 1000, Memcached::OPT_BINARY_PROTOCOL => true],
    'ketama' => [Memcached::OPT_SERVER_FAILURE_LIMIT => 1000, Memcached::OPT_LIBKETAMA_COMPATIBLE => true],
    'ejects later' => [Memcached::OPT_SERVER_FAILURE_LIMIT => 1000, Memcached::OPT_REMOVE_FAILED_SERVERS => true, Memcached::OPT_DEAD_TIMEOUT => 600],
    'ejects for good' => [Memcached::OPT_SERVER_FAILURE_LIMIT => 1, Memcached::OPT_REMOVE_FAILED_SERVERS => true],
];

function pool(array $options, string $place): Memcached
{
    $pool = new Memcached();
    $pool->setOptions([Memcached::OPT_RETRY_TIMEOUT => 600] + $options);
    $pool->addServer($place, 0);
    return $pool;
}

function toggle(Memcached $pool, string $name): void
{
    $option = constant("Memcached::$name");
    [$one, $other] = NUMBERS[$name] ?? [true, false];
    $pool->setOption($option, isset(NUMBERS[$name]) ? ($pool->getOption($option) == $one ? $other : $one) : !$pool->getOption($option));
}

function come(string $socket, string $place): void
{
    is_link($place) || symlink($socket, $place);
}

function go(string $place): void
{
    is_link($place) && unlink($place);
}

// Each call alone: the server was down, comes back, and one call is made.
foreach ($modes as $mode => $options) {
    foreach (['nothing', 'quit', ...RECONNECT, ...KEEP] as $what) {
        go($place);
        $pool = pool($options, $place);
        $codes = [];
        for ($i = 0; $i < 2; $i++) {
            $pool->get('key');
            $codes[] = $pool->getResultCode();
        }
        come($socket, $place);
        match ($what) {
            'nothing' => null,
            'quit' => $pool->quit(),
            default => toggle($pool, $what),
        };
        for ($i = 0; $i < 2; $i++) {
            $pool->get('key');
            $codes[] = $pool->getResultCode();
        }
        // The original's getOption() connects to return a size.
        echo "$mode, $what: ", implode(' ', $what === 'OPT_SOCKET_SEND_SIZE' ? array_slice($codes, 2) : $codes), "\n";
    }
}

// Random sequences. Toggled at random are options that change no answer.
foreach ($modes as $mode => $options) {
    for ($round = 0; $round < 40; $round++) {
        go($place);
        $pool = pool($options, $place);
        $told = [];
        for ($step = 0; $step < 30; $step++) {
            $what = ['get', 'get', 'set', 'getMulti', 'delete', 'quit', 'quit', 'come', 'go', 'OPT_NO_BLOCK', 'OPT_TCP_NODELAY', 'OPT_TCP_KEEPALIVE'][mt_rand(0, 11)];
            match ($what) {
                'get' => $pool->get('key'),
                'set' => $pool->set('key', 1),
                'getMulti' => $pool->getMulti(['key']),
                'delete' => $pool->delete('key'),
                'quit' => $pool->quit(),
                'come' => come($socket, $place),
                'go' => go($place),
                default => toggle($pool, $what),
            };
            $told[] = "$what:" . (in_array($what, ['get', 'set', 'getMulti', 'delete'], true) ? $pool->getResultCode() : '');
        }
        echo "$mode, $round: ", implode(' ', $told), "\n";
    }
}
