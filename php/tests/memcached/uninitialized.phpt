--TEST--
Memcached: an object whose constructor was not called, a clone, a second construction, serialization
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

class Lazy extends Memcached { public function __construct() {} }
$lazy = new Lazy;
foreach ((new ReflectionClass('Memcached'))->getMethods() as $method) {
    if ($method->isConstructor()) {
        continue;
    }
    $arguments = [];
    foreach ($method->getParameters() as $parameter) {
        if (!$parameter->isOptional()) {
            $arguments[] = match (ltrim((string) $parameter->getType(), '?')) { 'array' => ['a'], 'int' => 1, default => 'a' };
        }
    }
    try {
        $method->invoke($lazy, ...$arguments);
        echo $method->name, " worked\n";
    } catch (Error $e) {
        if ($e->getMessage() !== 'Memcached constructor was not called') {
            echo $method->name, ': ', $e->getMessage(), "\n";
        }
    }
}
foreach ([fn() => clone new Memcached, fn() => (new Memcached)->__construct(), fn() => unserialize(serialize(new Memcached))->get('a')] as $call) {
    try {
        $call();
    } catch (Throwable $e) {
        echo $e->getMessage(), "\n";
    }
}
class Full extends Memcached {
    public $own = 5;
    public function __construct() { parent::__construct(); $this->addServer('arena:phpt', 0); }
    public function get(string $key, ?callable $cache_cb = null, int $get_flags = 0): mixed { return [parent::get($key, $cache_cb, $get_flags)]; }
}
$m = new Full;
$m->set('k', 1);
var_dump($m->get('k'), $m->own);
?>
--EXPECT--
Trying to clone an uncloneable object of class Memcached
The Memcached object is constructed already
Memcached constructor was not called
array(1) {
  [0]=>
  int(1)
}
int(5)
