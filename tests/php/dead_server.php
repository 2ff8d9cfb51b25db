<?php
// Four servers, one of them dead: the results of each call on a new object, the first time and the second. Words: SOCKET... DEAD (its number).
// Without results that depend on the order in which servers were reached.

$sockets = array_slice($argv, 1, 4);
$dead = $sockets[(int) $argv[5]];

function pool(array $sockets): Memcached
{
    $pool = new Memcached();
    $pool->setOption(Memcached::OPT_COMPRESSION, false);
    $pool->addServers(array_map(fn($socket) => [$socket, 0], $sockets));
    return $pool;
}

$pool = pool($sockets);
$lives = fn($key) => $pool->getServerByKey($key)['host'] !== $dead;
$keys = array_map(fn($number) => "key-$number", range(1, 40));
$alive = array_values(array_filter($keys, $lives));
$of_dead = array_values(array_diff($keys, $alive));
$missing = array_values(array_filter(['none', 'nobody', 'nothing', 'nowhere', 'never'], $lives));
foreach ($alive as $key) {
    $pool->set($key, "value of $key");
}

$calls = [
    'get' => fn($pool) => $pool->get($of_dead[0]),
    'get of a living one' => fn($pool) => $pool->get($alive[0]),
    'set' => fn($pool) => $pool->set($of_dead[0], 1),
    'add' => fn($pool) => $pool->add($of_dead[0], 1),
    'replace' => fn($pool) => $pool->replace($of_dead[0], 1),
    'append' => fn($pool) => $pool->append($of_dead[0], '1'),
    'cas' => fn($pool) => $pool->cas(1.0, $of_dead[0], 1),
    'delete' => fn($pool) => $pool->delete($of_dead[0]),
    'increment' => fn($pool) => $pool->increment($of_dead[0]),
    'getMulti of one' => fn($pool) => $pool->getMulti([$of_dead[0]]),
    'getMulti of all' => fn($pool) => $pool->getMulti($keys),
    'getMulti in order' => fn($pool) => $pool->getMulti([$of_dead[0], $alive[0]], Memcached::GET_PRESERVE_ORDER),
    'getMulti of nothing there' => fn($pool) => $pool->getMulti([$of_dead[0], ...$missing]),
    'setMulti, a dead one last' => fn($pool) => $pool->setMulti([$alive[0] => "value of $alive[0]", $of_dead[0] => 1]),
    'deleteMulti' => fn($pool) => $pool->deleteMulti([$of_dead[0], $missing[0]]),
    'getDelayed' => fn($pool) => [$pool->getDelayed([$alive[0], $of_dead[0]]), $pool->fetchAll()],
    'flush in a year' => fn($pool) => $pool->flush(365 * 86400),
];
foreach ($calls as $name => $call) {
    $pool = pool($sockets);
    foreach (['first', 'second'] as $time) {
        $answer = $call($pool);
        if (is_array($answer) && !array_is_list($answer)) {
            ksort($answer);
        }
        echo "$name, $time: ", json_encode($answer), ' ', $pool->getResultCode(), ' ', $pool->getResultMessage(), "\n";
    }
}
