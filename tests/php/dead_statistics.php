<?php
// Requests to all servers, one of them dead and one that accepts connections and never answers. Words: LIVING DEAD HANGING (sockets).

[, $living, $dead, $hanging] = $argv;
$orders = [
    'a dead one last' => [$living, $dead], 'a dead one first' => [$dead, $living], 'dead between living' => [$living, $dead, $living],
    'a hanging one between' => [$living, $hanging, $dead],
];
$calls = [
    'getStats' => fn($pool) => is_array($pool->getStats()), 'getStats of nonsense' => fn($pool) => $pool->getStats('nonsense'),
    'getVersion' => fn($pool) => $pool->getVersion(),
];
foreach ($orders as $order => $sockets) {
    foreach ($calls as $name => $call) {
        $pool = new Memcached();
        $pool->setOption(Memcached::OPT_POLL_TIMEOUT, 1000);
        $pool->addServers(array_map(fn($socket) => [$socket, 0], $sockets));
        $answer = $call($pool);
        echo "$order, $name: ", json_encode($answer), ' ', $pool->getResultCode(), ', error ', $pool->getLastErrorCode(), "\n";
    }
}
