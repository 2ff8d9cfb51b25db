--TEST--
Memcached: stores are tried again OPT_STORE_RETRY_COUNT times, those of setMulti too
--EXTENSIONS--
pcntl
posix
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

/* A server that hangs up on its first connections, as soon as something comes, and then stores. */
function hangs_up(string $path, int $times): int
{
    $server = stream_socket_server("unix://$path");
    $child = pcntl_fork();
    if ($child !== 0) {
        return $child;
    }
    while ($client = stream_socket_accept($server, -1)) {
        while (($line = fgets($client)) !== false && $times-- <= 0) {
            fgets($client);
            fwrite($client, "STORED\r\n");
        }
        fclose($client);
    }
    exit;
}

foreach (['set' => fn($m) => $m->set('a', 1), 'setMulti' => fn($m) => $m->setMulti(['a' => 1, 'b' => 2, 'c' => 3])] as $name => $call) {
    foreach ([[0, 1], [1, 1], [1, 2], [2, 2]] as [$retries, $times]) {
        $child = hangs_up("$arenas/$name-$retries-$times.socket", $times);
        try {
            $m = new Memcached();
            $m->setOption(Memcached::OPT_STORE_RETRY_COUNT, $retries);
            $m->setOption(Memcached::OPT_RETRY_TIMEOUT, 0);
            /* Where a protocol was chosen a server that hangs up is not asked for another one: connections count here. */
            $m->setOption(Memcached::OPT_BINARY_PROTOCOL, false);
            $m->addServer("$arenas/$name-$retries-$times.socket", 0);
            echo "$name, $retries of $times: ";
            tell($m, $call($m));
        } finally {
            posix_kill($child, SIGKILL);
            pcntl_waitpid($child, $status);
        }
    }
}
?>
--EXPECT--
set, 0 of 1: false RES_CONNECTION_FAILURE
set, 1 of 1: true RES_SUCCESS
set, 1 of 2: false RES_CONNECTION_FAILURE
set, 2 of 2: true RES_SUCCESS
setMulti, 0 of 1: false RES_CONNECTION_FAILURE
setMulti, 1 of 1: true RES_SUCCESS
setMulti, 1 of 2: false RES_CONNECTION_FAILURE
setMulti, 2 of 2: true RES_SUCCESS
