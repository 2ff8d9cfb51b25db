<?php
/*
 * Where keys live on several servers, by what the servers themselves say: php memcached_places.php HOST:PORT,HOST:PORT,...
 * The test runs it with pecl/memcached and with ours, and compares the lines.
 */
error_reporting(E_ALL);
ini_set('html_errors', '0');
set_error_handler(function ($number, $text) { echo "[$number] $text\n"; return true; });
$servers = array_map(fn($place) => explode(':', $place), explode(',', $argv[1]));

function pool($count = null) {
    $pool = new Memcached();
    foreach (array_slice($GLOBALS['servers'], 0, $count) as [$host, $port]) $pool->addServer($host, (int) $port);
    return $pool;
}
function ask($server, $line) {
    $socket = stream_socket_client("tcp://$server[0]:$server[1]");
    fwrite($socket, "$line\r\n");
    $answer = fgets($socket);
    fclose($socket);
    return $answer;
}
function place($key) {
    $holds = fn($server) => str_starts_with(ask($server, "get $key"), 'VALUE');
    return implode('+', array_keys(array_filter($GLOBALS['servers'], $holds)));
}
function index($server) {
    return $server ? array_search($server['port'], array_column($GLOBALS['servers'], 1)) : '-';
}
/* Where 12 keys are put, each by itself, in a batch, and by a group; which server is named; and whether they are found again. */
function show($label, $pool, $prefix = '') {
    $keys = array_map(fn($number) => "k$number", range(0, 11));
    // Not by flush_all: 1.6.38 leaves some that were stored right before.
    $forget = [...array_map(fn($key) => "delete $prefix$key noreply", $keys), 'version'];
    foreach (['one', 'many', 'group'] as $how) {
        foreach ($GLOBALS['servers'] as $server) ask($server, implode("\r\n", $forget));
        if ($how === 'many') $pool->setMulti(array_fill_keys($keys, 1));
        if ($how === 'one') foreach ($keys as $key) $pool->set($key, 1);
        if ($how === 'group') foreach ($keys as $key) $pool->setByKey("group $key", $key, 1);
        $found = $how === 'group' ? count(array_filter($keys, fn($key) => $pool->getByKey("group $key", $key) === 1)) : count($pool->getMulti($keys));
        $named = array_map(fn($key) => index($pool->getServerByKey($how === 'group' ? "group $key" : $key)), $keys);
        echo "$label, $how: ", implode(' ', array_map(fn($key) => place($prefix . $key), $keys)), "; named ", implode(' ', $named), "; $found found\n";
    }
}
function call($label, $pool, ...$arguments) {
    $set = $pool->setBucket(...$arguments);
    $options = [Memcached::OPT_DISTRIBUTION, Memcached::OPT_HASH, Memcached::OPT_LIBKETAMA_COMPATIBLE, Memcached::OPT_NUMBER_OF_REPLICAS];
    echo "$label: ", json_encode([$set, $pool->getResultCode(), ...array_map([$pool, 'getOption'], $options)]), "\n";
}

$distributions = ['modula' => Memcached::DISTRIBUTION_MODULA, 'consistent' => Memcached::DISTRIBUTION_CONSISTENT, 'virtual' => Memcached::DISTRIBUTION_VIRTUAL_BUCKET];
foreach ([false, true] as $binary) {
    foreach ([false, true] as $with) {
        foreach (['compatible' => null, ...$distributions] as $name => $distribution) {
            $pool = pool();
            $pool->setOption(Memcached::OPT_BINARY_PROTOCOL, $binary);
            $name === 'compatible' ? $pool->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true) : $pool->setOption(Memcached::OPT_DISTRIBUTION, $distribution);
            $pool->setOption(Memcached::OPT_PREFIX_KEY, 'prefix.');
            $pool->setOption(Memcached::OPT_HASH_WITH_PREFIX_KEY, $with);
            show('prefix, binary ' . (int) $binary . ', hashed ' . (int) $with . ", $name", $pool, 'prefix.');
        }
    }
}
foreach ([2, 3, 4] as $count) {
    $pool = pool($count);
    $pool->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_VIRTUAL_BUCKET);
    show("no map, $count servers", $pool);
}
$maps = [[3, 2, 1, 0], [0, 1, 2, 3, 3, 2, 1, 0], [0, 1, 2], [0, 1, 2, 3, 1], [0, 1, 2, 3, 1, 2], ['3', 'a' => '2', 'x', 1.7], [2]];
foreach ($maps as $map) {
    foreach ([Memcached::HASH_DEFAULT, Memcached::HASH_MD5, Memcached::HASH_FNV1A_32] as $hash) {
        $label = json_encode($map) . ", hash $hash";
        $pool = pool();
        $pool->setOption(Memcached::OPT_HASH, $hash);
        call($label, $pool, $map, null, 0);
        show($label, $pool);
    }
}
$pool = pool(1);
call('one server', $pool, [0, 0, 0, 0], null, 0);
show('one server', $pool);
$pool = pool();
call('forward map', $pool, [0, 1, 2, 3], [3, 2, 1, 0], 2);
show('forward map', $pool);
call('anew', $pool, [1, 1], null, 7);
show('anew', $pool);
$pool->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_MODULA);
show('left', $pool);
$pool->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_VIRTUAL_BUCKET);
show('back', $pool);
$pool->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
call('compatible', $pool, [3, 2, 1, 0], null, 0);
show('compatible', $pool);
$pool = new Memcached();
call('before the servers', $pool, [3, 2, 1, 0], null, 0);
foreach ($servers as [$host, $port]) $pool->addServer($host, (int) $port);
show('before the servers', $pool);
foreach ([[[], null, 0], [[0, 1], [0], 0], [[0, 1], [], 0], [[0, 1], null, -1], [[0, -1], null, 0], [[0, 1], [0, -1], 0], [[4294967296, 1], null, PHP_INT_MAX]] as $arguments) {
    call(json_encode($arguments), pool(), ...$arguments);
}
