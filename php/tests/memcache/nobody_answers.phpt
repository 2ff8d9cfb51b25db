--TEST--
MemcachePool: servers that take connections and never answer cost their time-out once, then they rest
--FILE--
<?php
require __DIR__ . '/../start.inc';
/* The kernel takes connections for it; nobody reads. */
$silent = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($silent, false), ':'), 1);
$pool = new MemcachePool;
$pool->addServer('127.0.0.1', $port, 0, false, 1, 0.05, 3600);
function told(string $text): string { return preg_replace('/tcp \d+/', 'tcp PORT', $text); }
set_error_handler(fn($number, $text) => print(told($text) . "\n"));
var_dump($pool->get('k'));
foreach (['get' => ['k'], 'set' => ['k', 1], 'delete' => [['k', 'l']], 'increment' => [['k']], 'getVersion' => [], 'getStats' => []] as $method => $arguments) {
    echo $method, ' ', json_encode($pool->$method(...$arguments)), "\n";
}
echo $pool->getServerStatus('127.0.0.1', $port), "\n";
$pool->setServerParams('127.0.0.1', $port, 0.05, 0);
echo $pool->getServerStatus('127.0.0.1', $port), "\n";
var_dump($pool->set('k', 'v'));
--EXPECT--
MemcachePool::get(): Server 127.0.0.1 (tcp PORT, udp 0) failed with: Network timeout (0)
bool(false)
get false
set false
delete false
increment []
getVersion false
getStats false
0
1
MemcachePool::set(): Server 127.0.0.1 (tcp PORT, udp 0) failed with: Network timeout (0)
bool(false)
