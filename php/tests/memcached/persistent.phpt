--TEST--
Memcached: objects of one persistent id share servers and options; the callback runs once
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$callback = function (Memcached $m, ?string $id) { echo "new: ", var_export($id, true), "\n"; $m->addServer('arena:phpt', 0); };
$a = new Memcached('one', $callback);
$b = new Memcached('one', $callback);
$c = new Memcached('two', $callback);
$d = new Memcached(null, $callback);
foreach ([$a, $b, $c, $d] as $m) {
    echo json_encode([$m->isPersistent(), $m->isPristine(), count($m->getServerList())]), "\n";
}
$a->setOption(Memcached::OPT_PREFIX_KEY, 'p:');
$a->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON);
unset($a);
var_dump($b->getOption(Memcached::OPT_PREFIX_KEY), $b->getOption(Memcached::OPT_SERIALIZER), $c->getOption(Memcached::OPT_PREFIX_KEY));
$b->set('k', 1);
var_dump($c->get('p:k'), (new Memcached('one'))->get('k'));
// Each object has its own result code.
$again = new Memcached('one');
$again->get('missing');
var_dump($again->getResultCode(), $b->getResultCode());
$b->resetServerList();
var_dump($again->getServerList());
?>
--EXPECT--
new: 'one'
new: 'two'
new: NULL
[true,true,1]
[true,false,1]
[true,true,1]
[false,true,1]
string(2) "p:"
int(3)
string(0) ""
int(1)
int(1)
int(16)
int(0)
array(0) {
}
