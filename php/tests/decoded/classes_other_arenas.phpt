--TEST--
An arena that takes the place of another one of the same history is not taken for it
--FILE--
<?php
require __DIR__ . '/../memcached.inc';
$m = new Memcached();
foreach (['one', 'two', 'three'] as $name) {
    $m->resetServerList();
    $m->addServer("arena:$name", 0);
    $m->set('a', [$name]);
    for ($i = 0; $i < 4; $i++) {
        $m->get('a');
    }
    echo json_encode($m->get('a')), ' ', json_encode($m->getMulti(['a'])), "\n";
}
for ($round = 0; $round < 3; $round++) {
    $m->resetServerList();
    $m->addServer('arena:gone', 0);
    $m->set('a', ['round' => $round]);
    for ($i = 0; $i < 4; $i++) {
        $m->get('a');
    }
    unlink(glob("$arenas/gone.arena")[0]);
    $m->resetServerList();
    $again = new Memcached();
    $again->addServer('arena:gone', 0);
    echo json_encode($again->get('a')), ' ';
    $again->set('a', ['again' => $round]);
    echo json_encode($again->get('a')), json_encode($again->get('a')), json_encode($again->get('a')), "\n";
}
--EXPECT--
["one"] {"a":["one"]}
["two"] {"a":["two"]}
["three"] {"a":["three"]}
false {"again":0}{"again":0}{"again":0}
false {"again":1}{"again":1}{"again":1}
false {"again":2}{"again":2}{"again":2}
