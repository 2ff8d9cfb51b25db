--TEST--
APCUIterator: a handler of errors may call the constructor again in the middle of a walk, and that may fail
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.apcu_arena=apcu
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Value {}
// Bytes before a serialized object make it unreadable.
$memcached = new Memcached;
$memcached->addServer('arena:apcu', 0);
$memcached->setOption(Memcached::OPT_COMPRESSION, false);
apcu_store('unreadable', new Value);
$memcached->prepend('unreadable', 'x');

$iterator = new APCUIterator('/./');
set_error_handler(function (int $level, string $text) use ($iterator): bool {
    echo $text, "\n";
    if (str_contains($text, 'does not unserialize')) {
        @$iterator->__construct(null, APC_ITER_ALL, 0, 77);
    }
    return true;
});
try {
    foreach ($iterator as $item) {
        echo "not reached\n";
    }
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}
--EXPECT--
APCUIterator::rewind(): The stored value does not unserialize, it counts as missing: the data is damaged, or longer than memory_limit allows
Trying to use uninitialized APCUIterator
