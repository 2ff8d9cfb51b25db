--TEST--
Memcached: code of the values may use the same object, change the stored value, and throw
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

class Busy {
    public $x = 1;
    public function __serialize(): array { global $m; $m->set('inner', 'i'); $m->getMulti(['inner', 'k']); return ['x' => $m->get('inner')]; }
    public function __unserialize(array $data): void { global $m; $m->set('woken', 1); $m->getDelayed(['inner']); $this->x = $data['x'] . $m->get('inner'); }
}
class Thief { public function __serialize(): array { $GLOBALS['target'] = 'gone'; return [str_repeat('x', 50)]; } public function __unserialize(array $data): void {} }
class Thrower { public $x = 1; public function __sleep() { throw new Exception('asleep'); } }
class Waker { public $x = 1; public function __wakeup() { throw new Exception('awake'); } }

foreach ([on_arena(), on_server()] as $m) {
    $m->setMulti(['k' => new Busy, 'l' => [new Busy, new Busy]]);
    echo json_encode($m->getMulti(['k', 'l'])), "\n";
    $m->getDelayed(['k', 'l']);
    echo json_encode($m->fetch()['key'] ?? null), "\n";

    $target = [new Thief, str_repeat('y', 50)];
    tell($m, $m->setMulti(['stolen' => &$target]));
    tell($m, count($m->get('stolen')));
    unset($target);
    tell($m, count($m->get('through', function ($m, $key, &$value) { $GLOBALS['target'] = &$value; $value = [new Thief, str_repeat('z', 50)]; return true; })));
    unset($target);

    foreach ([fn() => $m->set('t', new Thrower), fn() => $m->setMulti(['t' => new Thrower, 'u' => 1]), fn() => $m->set('w', new Waker) && $m->get('w'),
        fn() => $m->getMulti(['k', 'w']), fn() => $m->getDelayed(['w']) && $m->fetchAll()] as $call) {
        try {
            $call();
            echo "nothing thrown\n";
        } catch (Exception $e) {
            echo $e->getMessage(), "\n";
        }
    }
    tell($m, $m->get('inner'));
}
// Words as keys.
$word = new class { public function __toString(): string { global $m; $m->set('word', 'w'); return 'word'; } };
tell($m, $m->getMulti([$word]));
tell($m, $m->deleteMulti([$word]));
$thrower = new class { public function __toString(): string { throw new Exception('no word'); } };
foreach (['getMulti', 'getDelayed', 'deleteMulti'] as $method) {
    try {
        $m->$method(['inner', $thrower, 'inner']);
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
tell($m, $m->get('inner'));
?>
--EXPECTF--
{"k":{"x":"ii"},"l":[{"x":"ii"},{"x":"ii"}]}
"k"
true RES_SUCCESS
2 RES_SUCCESS
2 RES_SUCCESS

Warning: Memcached::set(): could not serialize value in %s on line %d
asleep

Warning: Memcached::setMulti(): could not serialize value in %s on line %d
asleep
awake
awake
awake
"i" RES_SUCCESS
{"k":{"x":"ii"},"l":[{"x":"ii"},{"x":"ii"}]}
"k"
true RES_SUCCESS
2 RES_SUCCESS
2 RES_SUCCESS

Warning: Memcached::set(): could not serialize value in %s on line %d
asleep

Warning: Memcached::setMulti(): could not serialize value in %s on line %d
asleep
awake
awake
awake
"i" RES_SUCCESS
{"word":"w"} RES_SUCCESS
{"word":true} RES_SUCCESS
no word
no word
no word
"i" RES_SUCCESS
