--TEST--
MemcachePool: a handler of errors, the destructor of an old callback and the loader of a new one may drop the connection
--INI--
memcache.protocol=binary
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Callback
{
    function __construct(private MemcachePool $pool) {}
    function __invoke() {}
    function __destruct() { $this->pool->connection = null; }
}
function fresh(): MemcachePool
{
    $pool = new Memcache;
    $pool->addServer('arena:drop', 0);
    return $pool;
}
function tell(bool $answer): void { echo json_encode($answer), "\n"; }

foreach (['addServer', 'connect'] as $method) {
    $pool = new MemcachePool;
    $pool->addServer('arena:drop', 0);
    set_error_handler(function (int $level, string $text) use ($pool): bool {
        echo $text, "\n";
        $pool->connection = null;
        return true;
    });
    tell($pool->$method('127.0.0.1', 1, 2));
    restore_error_handler();
}

$pool = fresh();
$pool->setFailureCallback(new Callback($pool));
tell($pool->setServerParams('arena:drop', 0, 1, 15, true, 'strlen'));
$pool = fresh();
$pool->setFailureCallback(new Callback($pool));
tell($pool->setFailureCallback('strlen'));

spl_autoload_register(function (string $class): void {
    global $pool;
    $pool->connection = null;
});
$pool = fresh();
tell(@$pool->setServerParams('arena:drop', 0, 1, 15, true, 'Absent1::method'));
$pool = fresh();
// The original declares a callable and accepts anything, which a PHP for debugging reports.
tell(PHP_DEBUG ? false : @$pool->setFailureCallback('Absent2::method'));
$pool = fresh();
tell(@$pool->addServer('arena:drop', 0, true, 1, 1, 15, true, 'Absent3::method'));
--EXPECT--
MemcachePool::addserver(): binary protocol isn't support over UDP, defaulting to TCP
MemcachePool::addserver(): No servers added to memcache connection
false
MemcachePool::connect(): binary protocol isn't support over UDP, defaulting to TCP
MemcachePool::connect(): No servers added to memcache connection
false
true
true
false
false
false
