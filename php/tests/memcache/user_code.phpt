--TEST--
MemcachePool: user code that runs while values are encoded and decoded may use, close and drop the pool
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Meddler
{
    public function __construct(public string $how) {}
    public function __sleep() { ($GLOBALS['meddle'])(); return ['how']; }
    public function __wakeup() { ($GLOBALS['meddle'])(); }
    public function __toString() { ($GLOBALS['meddle'])(); return 'key'; }
}
function fresh(): MemcachePool
{
    $GLOBALS['meddle'] = fn() => null;
    $pool = new MemcachePool;
    $pool->addServer('arena:meddle', 0);
    $pool->set('key', new Meddler('stored'));
    return $pool;
}
$ways = [
    'uses' => fn($pool) => [$pool->set('inner', 1), $pool->get(['inner', 'none'])],
    'closes' => fn($pool) => $pool->close(),
    'drops' => fn($pool) => $pool->connection = null,
    'adds a server' => fn($pool) => $pool->addServer('arena:second', 0),
];
foreach ($ways as $name => $way) {
    $answers = [];
    $calls = [
        fn($pool) => $pool->set('key', new Meddler('set')), fn($pool) => $pool->set(['a' => 1, 'key' => new Meddler('many'), 'z' => 2]), fn($pool) => is_object($pool->get('key')),
        fn($pool) => count($pool->get(['key', 'none'])), fn($pool) => is_bool($pool->delete([new Meddler('as a key'), 'z'])), fn($pool) => is_array($pool->get([new Meddler('as a key')]) ?: []),
    ];
    foreach ($calls as $call) {
        $pool = fresh();
        $meddle = fn() => @$way($pool);
        $answers[] = @$call($pool);
    }
    echo $name, ': ', json_encode($answers), "\n";
}
--EXPECT--
uses: [true,true,true,1,true,true]
closes: [false,false,true,1,true,true]
drops: [false,false,true,1,true,true]
adds a server: [true,true,true,1,true,true]
