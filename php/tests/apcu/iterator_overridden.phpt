--TEST--
APCUIterator: foreach calls the methods that a class overrides
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => 1, 'b' => 2]);

class Doubled extends APCUIterator
{
    public function current(): mixed
    {
        return parent::current()['value'] * 2;
    }
}

class Shouted extends APCUIterator
{
    public function key(): string|int
    {
        return strtoupper(parent::key());
    }
}

class Untouched extends APCUIterator
{
}

class Told extends APCUIterator
{
    public function rewind(): void
    {
        echo "rewind\n";
        parent::rewind();
    }

    public function valid(): bool
    {
        echo "valid\n";
        return parent::valid();
    }

    public function next(): void
    {
        echo "next\n";
        parent::next();
    }
}

foreach ([Doubled::class, Shouted::class, Untouched::class] as $class) {
    $all = iterator_to_array(new $class(['a', 'b'], APC_ITER_VALUE));
    echo json_encode($all), "\n";
}
foreach (new Told(['a'], APC_ITER_KEY) as $key => $item) {
    echo $key, "\n";
}
--EXPECT--
{"a":2,"b":4}
{"A":{"value":1},"B":{"value":2}}
{"a":{"value":1},"b":{"value":2}}
rewind
valid
a
next
valid
