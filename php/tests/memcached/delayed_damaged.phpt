--TEST--
Memcached: fetch(), fetchAll() and the callback of getDelayed() say PAYLOAD_FAILURE after a damaged value, and give its neighbours
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach (['arena' => on_arena(), 'server' => on_server()] as $where => $m) {
    $m->setOption(Memcached::OPT_COMPRESSION, false);
    $m->set('damaged', ['an array', 'that is longer']);
    $m->append('damaged', 'x');
    $m->prepend('damaged', 'x');
    $m->setMulti(['first' => 1, 'last' => 'two']);
    foreach ([['first', 'damaged', 'last'], ['damaged', 'first', 'last'], ['first', 'last', 'damaged'], ['damaged'], ['damaged', 'absent'], ['first', 'last']] as $keys) {
        $m->getDelayed($keys);
        $all = @$m->fetchAll();
        $told = [$all ? array_column($all, 'key') : $all, $m->getResultCode(), $m->fetch(), $m->getResultCode()];
        $m->getDelayed($keys);
        $found = [];
        while ($item = @$m->fetch()) {
            $found[] = $item['key'];
        }
        array_push($told, $found, $m->getResultCode());
        $found = [];
        $whole = @$m->getDelayed($keys, false, function ($m, $item) use (&$found) { $found[] = $item['key']; });
        array_push($told, $whole, $found, $m->getResultCode());
        echo $where, ' ', implode(',', $keys), ': ', json_encode($told), "\n";
    }
}
?>
--EXPECT--
arena first,damaged,last: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
arena damaged,first,last: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
arena first,last,damaged: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
arena damaged: [false,-1001,false,16,[],-1001,false,[],-1001]
arena damaged,absent: [false,-1001,false,16,[],-1001,false,[],-1001]
arena first,last: [["first","last"],0,false,16,["first","last"],16,true,["first","last"],0]
server first,damaged,last: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
server damaged,first,last: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
server first,last,damaged: [["first","last"],-1001,false,16,["first","last"],-1001,false,["first","last"],-1001]
server damaged: [false,-1001,false,16,[],-1001,false,[],-1001]
server damaged,absent: [false,-1001,false,16,[],-1001,false,[],-1001]
server first,last: [["first","last"],0,false,16,["first","last"],16,true,["first","last"],0]
