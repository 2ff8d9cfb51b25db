--TEST--
MemcachePool: a value that throws while it is encoded is not stored, the exception passes through, and a warning is logged
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Asleep { public function __sleep() { throw new Exception('asleep'); } }

$pool = new MemcachePool;
$pool->addServer('arena:throws', 0);
foreach (['set', 'add'] as $method) {
    foreach ([['k', new Asleep], [['first' => 1, 'k' => [new Asleep], 'last' => 2]]] as $arguments) {
        try {
            @$pool->$method(...$arguments);
        } catch (Exception $e) {
            echo $e->getMessage(), '; ', error_get_last()['message'], '; ', json_encode($pool->get(['first', 'k', 'last'])), "\n";
        }
    }
}
?>
--EXPECT--
asleep; MemcachePool::set(): Failed to serialize value; []
asleep; MemcachePool::set(): Failed to serialize value; []
asleep; MemcachePool::add(): Failed to serialize value; []
asleep; MemcachePool::add(): Failed to serialize value; []
