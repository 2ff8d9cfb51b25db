--TEST--
Memcached: keys that no server would take are refused by every method, and nothing is sent
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$bad = ['', 'a b', "a\nb", "a\r\nset x 0 0 1\r\n1", "a\0b", "\x7f", "\t", str_repeat('k', 251)];
foreach ([on_arena(), on_server()] as $m) {
    foreach ($bad as $key) {
        foreach ([
            'get' => [], 'set' => [1], 'add' => [1], 'replace' => [1], 'delete' => [], 'touch' => [1], 'increment' => [], 'decrement' => [],
            'checkKey' => [],
        ] as $method => $arguments) {
            if ($m->$method($key, ...$arguments) !== false || $m->getResultCode() !== Memcached::RES_BAD_KEY_PROVIDED) {
                echo "$method took ", json_encode($key), "\n";
            }
        }
        // deleteMulti ignores an empty key.
        $refused = $key === '' ? [] : [$key => Memcached::RES_BAD_KEY_PROVIDED];
        if ($m->getMulti([$key, 'x']) !== [] || $m->setMulti([$key => 1]) !== false || $m->deleteMulti([$key]) !== $refused || $m->getMulti([$key]) !== false
            || $m->cas(1, $key, 1) !== false || $m->getResultCode() !== Memcached::RES_BAD_KEY_PROVIDED || $m->getDelayed([$key]) !== false) {
            echo 'a batch took ', json_encode($key), "\n";
        }
    }
    foreach (['a', str_repeat('k', 250), 'grün', "\x80", '~'] as $key) {
        if (!$m->checkKey($key) || !$m->set($key, $key) || $m->get($key) !== $key) {
            echo 'refused ', json_encode(bin2hex($key)), "\n";
        }
    }
    $m->setOption(Memcached::OPT_VERIFY_KEY, true);
    var_dump($m->checkKey('grün'), $m->set('grün', 1), $m->get('grün'), $m->set('green', 1));
    $m->setOption(Memcached::OPT_VERIFY_KEY, false);
    $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
    foreach (['a b', "\0", "\xff\x01"] as $key) {
        if (!$m->checkKey($key) || !$m->set($key, $key) || $m->get($key) !== $key) {
            echo 'refused in binary: ', json_encode(bin2hex($key)), "\n";
        }
    }
    var_dump($m->checkKey("a\nb"));
}
?>
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
