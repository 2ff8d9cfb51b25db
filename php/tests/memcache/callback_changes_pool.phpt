--TEST--
MemcachePool: a failure callback may close the pool, add servers, drop the connection and use the object
--FILE--
<?php
require __DIR__ . '/../start.inc';
function broken(): MemcachePool
{
    $pool = new MemcachePool;
    $pool->addServer('unix:///nowhere/socket', 0, 0, false);
    return $pool;
}
$calls = [
    'get' => ['k'], 'get many' => [['k', 'l']], 'set' => ['k', 1], 'set many' => [['k' => 1, 'l' => 2]], 'delete' => [['k', 'l']], 'increment' => [['k', 'l']],
    'getVersion' => [], 'getExtendedStats' => [], 'flush' => [], 'connect' => ['unix:///nowhere/other', 0, 0, false],
];
foreach ($calls as $name => $arguments) {
    $method = strtok($name, ' ');
    $answers = [];
    $changes = [
        fn($pool) => $pool->close(), fn($pool) => $pool->addServer('arena:other', 0), fn($pool) => $pool->connection = null, fn($pool) => $pool->setFailureCallback(null),
    ];
    foreach ($changes as $change) {
        $pool = broken();
        $pool->setFailureCallback(function () use ($pool, $change) {
            $change($pool);
            @$pool->get('inner');
        });
        $answers[] = @$pool->$method(...$arguments);
    }
    echo $name, ': ', json_encode($answers, JSON_UNESCAPED_SLASHES), "\n";
}
$pool = broken();
$pool->setFailureCallback(fn(...$arguments) => print(json_encode($arguments, JSON_UNESCAPED_SLASHES) . "\n"));
$pool->get('k');
--EXPECT--
get: [false,false,false,false]
get many: [[],[],[],[]]
set: [false,false,false,false]
set many: [false,false,false,false]
delete: [false,false,false,false]
increment: [[],[],[],[]]
getVersion: [false,false,false,false]
getExtendedStats: [{"unix:///nowhere/socket:0":false},{"unix:///nowhere/socket:0":false},{"unix:///nowhere/socket:0":false},{"unix:///nowhere/socket:0":false}]
flush: [false,false,false,false]
connect: [false,false,false,false]
["unix:///nowhere/socket",0,0,"Connection failed: No such file or directory",2]
