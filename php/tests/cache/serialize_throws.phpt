--TEST--
An exception of __serialize() goes through, one of __unserialize() too
--FILE--
<?php
require __DIR__ . '/../cache.inc';

class Shy { public bool $shy = true; public function __serialize(): array { if ($this->shy) { throw new DomainException('not me'); } return []; } }
class Late { public function __unserialize(array $data): void { throw new DomainException('too late'); } public function __serialize(): array { return []; } }
$cache = new_cache();
show_exception(fn () => $cache->set('key', new Shy));
$cache->set('late', new Late);
show_exception(fn () => $cache->get('late'));
show_exception(fn () => $cache->getItem('late'));
show_exception(fn () => $cache->getMultiple(['late', 'key']));
show_exception(fn () => $cache->remember('late', null, fn () => print("computed\n")));
show_exception(function () use ($cache) { foreach ($cache as $value) { echo "value\n"; } });
?>
--EXPECT--
DomainException < LogicException: not me
DomainException < LogicException: too late
DomainException < LogicException: too late
DomainException < LogicException: too late
DomainException < LogicException: too late
DomainException < LogicException: too late
