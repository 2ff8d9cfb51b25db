--TEST--
MemcachePool: two lists of servers never share connections, for any names, and each server has its place
--FILE--
<?php
require __DIR__ . '/../start.inc';

$two = new MemcachePool;
$two->addServer('127.0.0.1', 1);
$two->addServer('127.0.0.1', 2);
@$two->getServerStatus('127.0.0.1', 1);
foreach (["127.0.0.1 1 0 1\n127.0.0.1", "9:127.0.0.1 1 0 1\n9:127.0.0.1"] as $name) {
    $one = new MemcachePool;
    $one->addServer($name, 2);
    for ($i = 0; $i < 20; $i++) {
        @$one->get("k$i");
        if (@$one->findServer("k$i") !== false && !str_contains($one->findServer("k$i"), $name)) {
            echo "k$i: another list's server\n";
        }
    }
}

// A name that is not a string names no server; the following ones keep their places.
$m = new MemcachePool;
$m->addServer("\xff", 1);
$m->addServer('arena:places', 0);
$stats = @$m->getExtendedStats();
var_dump(array_values(array_map(is_array(...), $stats)));
$m->setServerParams("\xff", 1, 1, -1, false);
for ($i = 0; $i < 20; $i++) {
    if (!@$m->set("k$i", $i) || $m->get("k$i") !== $i) {
        echo "k$i is lost\n";
    }
}
?>
--EXPECT--
array(2) {
  [0]=>
  bool(false)
  [1]=>
  bool(true)
}
