--TEST--
APCUIterator: __unserialize may use the cache, the same iterator, and throw
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Meddles
{
    public $log;
    function __serialize(): array { return [1]; }
    function __unserialize(array $data): void
    {
        global $iterator, $depth;
        apcu_store('other', 1);
        apcu_fetch('other');
        apcu_delete('other');
        foreach (new APCUIterator('/^plain/') as $key => $item) {
            $this->log = "$key {$item['value']}";
        }
        if ($iterator && $depth++ < 3) {
            $iterator->rewind();
        }
    }
}
class Throws
{
    function __serialize(): array { return []; }
    function __unserialize(array $data): void { throw new Exception('cannot wake up'); }
}
apcu_store('plain', 'value');
apcu_store('meddles', new Meddles);
$depth = 0;
$iterator = null;
foreach ($iterator = new APCUIterator('/^meddles/') as $key => $item) {
    var_dump($key, $item['value']->log);
}
apcu_store('throws', new Throws);
try {
    foreach (new APCUIterator('/^throws/') as $item) {
        echo "not reached\n";
    }
} catch (Exception $exception) {
    echo $exception->getMessage(), "\n";
}
--EXPECT--
string(7) "meddles"
string(11) "plain value"
cannot wake up
