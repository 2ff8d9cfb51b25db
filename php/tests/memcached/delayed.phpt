--TEST--
Memcached: getDelayed with fetch, fetchAll and a callback; another call ends it
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    $m->setMulti(['a' => 1, 'b' => 2]);
    tell($m, $m->getDelayed(['a', 'missing']));
    tell($m, $m->fetch());
    tell($m, $m->fetch());
    tell($m, $m->fetchAll());
    tell($m, $m->getDelayed(['a', 'b']));
    $all = $m->fetchAll();
    sort($all);
    tell($m, $all);
    tell($m, $m->getDelayed([]));
    tell($m, $m->getDelayed(['missing'], false, fn() => print("called\n")));
    tell($m, $m->getDelayed(['a'], false, function (Memcached $m, array $item) { echo json_encode($item), "\n"; }));
    // A callback that uses the object ends the call that it belongs to.
    $calls = 0;
    $m->getDelayed(['a', 'b'], false, function (Memcached $m) use (&$calls) { $calls++; $m->get('a'); });
    var_dump($calls >= 1);
    $m->getDelayed(['a', 'b']);
    tell($m, $m->get('b'));
    tell($m, $m->fetchAll());
    try {
        $m->getDelayedByKey('group', ['a', 'b'], true, function () { throw new Exception('thrown'); });
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
    }
    tell($m, $m->get('a'));
    echo "\n";
}
?>
--EXPECT--
true RES_SUCCESS
{"key":"a","value":1} RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
true RES_SUCCESS
[{"key":"a","value":1},{"key":"b","value":2}] RES_SUCCESS
false RES_BAD_KEY_PROVIDED
false RES_NOTFOUND
{"key":"a","value":1}
true RES_SUCCESS
bool(true)
2 RES_SUCCESS
false RES_NOTFOUND
thrown
1 RES_SUCCESS

true RES_SUCCESS
{"key":"a","value":1} RES_SUCCESS
false RES_NOTFOUND
false RES_NOTFOUND
true RES_SUCCESS
[{"key":"a","value":1},{"key":"b","value":2}] RES_SUCCESS
false RES_BAD_KEY_PROVIDED
false RES_NOTFOUND
{"key":"a","value":1}
true RES_SUCCESS
bool(true)
2 RES_SUCCESS
false RES_NOTFOUND
thrown
1 RES_SUCCESS
