--TEST--
APCUIterator: foreach and the methods stand at the same item
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4]);
$iterator = new APCUIterator(['a', 'b', 'c', 'd'], APC_ITER_VALUE);
foreach ($iterator as $key => $item) {
    echo $key, ' ', $iterator->key(), ' ', $iterator->current() === $item ? 'same' : 'other', "\n";
    if ($key === 'a') {
        $iterator->next();
    }
}
var_dump($iterator->valid());

try {
    foreach ($iterator as &$item) {
    }
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}

function all(iterable $of)
{
    yield from $of;
}

unset($item);
foreach ([new LimitIterator($iterator, 1, 2), all($iterator), new IteratorIterator($iterator)] as $around) {
    foreach ($around as $key => $item) {
        echo $key, '=', $item['value'], ' ';
    }
    echo "\n";
}

class Late extends APCUIterator
{
    public function __construct()
    {
    }
}

try {
    foreach (new Late as $item) {
    }
} catch (Error $error) {
    echo $error->getMessage(), "\n";
}

/* A loop that begins the iterator anew goes on with what that one finds. */
foreach ($iterator as $key => $item) {
    echo $key, ' ';
    if ($key === 'b') {
        $iterator->__construct(['a', 'd'], APC_ITER_KEY);
    }
}
echo json_encode($item), "\n";
--EXPECT--
a a same
c c same
d d same
bool(false)
An iterator cannot be used with foreach by reference
b=2 c=3 
a=1 b=2 c=3 d=4 
a=1 b=2 c=3 d=4 
Trying to use uninitialized APCUIterator
a b d {"key":"d"}
