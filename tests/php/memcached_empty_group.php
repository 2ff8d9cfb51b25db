<?php
/*
 * Calls of Memcached with an empty server key, and which server holds the key then: php memcached_empty_group.php HOST:PORT,HOST:PORT,...
 * The test runs it with pecl/memcached and with ours, and compares the lines.
 */
error_reporting(E_ALL);
$servers = explode(',', $argv[1]);

function ask(string $server, string $line): string
{
    $socket = stream_socket_client("tcp://$server");
    fwrite($socket, "$line\r\n");
    $answer = fgets($socket);
    fclose($socket);
    return $answer;
}
function place(string $key): string
{
    return implode('+', array_keys(array_filter($GLOBALS['servers'], fn($server) => str_starts_with(ask($server, "get $key"), 'VALUE')))) ?: 'nowhere';
}

$stores = [
    'set' => fn($pool, $key) => $pool->setByKey('', $key, 1),
    'setMulti' => fn($pool, $key) => $pool->setMultiByKey('', [$key => 1]),
    'add' => fn($pool, $key) => $pool->addByKey('', $key, 1),
    'read-through' => fn($pool, $key) => $pool->getByKey('', $key, function ($pool, $key, &$value) { $value = 1; return true; }) === 1,
];
$others = [
    'get' => fn($pool, $key) => $pool->getByKey('', $key),
    'getMulti' => fn($pool, $key) => $pool->getMultiByKey('', [$key]),
    'getDelayed' => fn($pool, $key) => [$pool->getDelayedByKey('', [$key]), $pool->fetchAll()],
    'extended' => fn($pool, $key) => is_array($pool->getByKey('', $key, null, Memcached::GET_EXTENDED)),
    'without a server key' => fn($pool, $key) => $pool->get($key),
    'touch' => fn($pool, $key) => $pool->touchByKey('', $key, 100),
    'increment' => fn($pool, $key) => $pool->incrementByKey('', $key),
    'replace' => fn($pool, $key) => $pool->replaceByKey('', $key, 5),
    'delete' => fn($pool, $key) => $pool->deleteByKey('', $key),
    'deleteMulti' => fn($pool, $key) => $pool->deleteMultiByKey('', [$key]),
];
foreach ([Memcached::OPT_DISTRIBUTION => Memcached::DISTRIBUTION_MODULA, Memcached::OPT_LIBKETAMA_COMPATIBLE => true] as $option => $value) {
    $pool = new Memcached();
    $pool->setOption($option, $value);
    foreach ($servers as $server) {
        [$host, $port] = explode(':', $server);
        $pool->addServer($host, (int) $port);
    }
    foreach ($stores as $name => $store) {
        echo "$option, $name:";
        foreach (range(1, 8) as $number) {
            $key = "$name-$option-$number";
            echo ' ', json_encode($store($pool, $key)), '@', place($key);
        }
        echo "\n";
        foreach ($others as $call => $do) {
            echo "  $call: ", implode(' ', array_map(fn($number) => json_encode($do($pool, "$name-$option-$number")), range(1, 8))), "\n";
        }
    }
}
