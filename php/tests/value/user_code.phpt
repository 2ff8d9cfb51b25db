--TEST--
__serialize and __unserialize may use the cache and throw
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class UsesCache
{
    public $value;
    function __serialize(): array { apcu_store('inner', 1); return [1]; }
    function __unserialize(array $data): void { apcu_inc('inner'); apcu_store('array', [1, 2]); $this->value = [apcu_fetch('inner'), apcu_fetch('array')]; }
}
apcu_store('a', new UsesCache);
var_dump(apcu_fetch('a')->value);
class Throws
{
    function __construct(public $when) {}
    function __serialize(): array { if ($this->when === 'store') throw new Exception('in store'); return [$this->when]; }
    function __unserialize(array $data): void { throw new Exception('in fetch'); }
}
foreach (['store', 'fetch'] as $when) {
    try {
        var_dump(apcu_store('b', new Throws($when)));
        var_dump(apcu_fetch('b'));
    } catch (Exception $exception) {
        echo $exception->getMessage(), "\n";
    }
}
--EXPECT--
array(2) {
  [0]=>
  int(2)
  [1]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
in store
bool(true)
in fetch
