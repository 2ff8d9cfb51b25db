--TEST--
decoded values: an array that contains itself, or others many times, is not copied without end
--EXTENSIONS--
igbinary
--INI--
apc.enable_cli=1
leveret.serializer=igbinary
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../start.inc';

/* Each kid of the tree leads to all the others, by value: without a bound the copy would go through them all, 128 levels deep. */
$tree = ['kids' => []];
for ($i = 0; $i < 8; $i++) {
    unset($kid);
    $kid = ['number' => $i, 'parent' => &$tree];
    $tree['kids'][] = &$kid;
}
$doubled = ['leaf'];
for ($i = 0; $i < 60; $i++) {
    $doubled = [$doubled, $doubled];
}
apcu_store('tree', $tree);
apcu_store('doubled', $doubled);
/* As somebody may store it over a socket: an array that holds itself twice, by value. */
$cache = new Leveret\Cache('arena:phpt');
$m = new Memcached;
$m->addServer('arena:phpt', 0);
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_IGBINARY);
$m->set('cyclic', igbinary_unserialize(hex2bin('0000000214020600' . '0100' . '0601' . '0100')));
foreach ([1, 2, 3, 4] as $time) {
    $read = apcu_fetch('doubled');
    for ($i = 0; $i < 60; $i++) {
        $read = $read[$i % 2];
    }
    echo $read[0], ' ', apcu_fetch('tree')['kids'][3]['parent']['kids'][5]['number'], ' ';
    $read = $m->get('cyclic');
    echo count($read[0][1][0]), ' ', count($cache->get('cyclic')[1][0]), "\n";
}
unset($read, $tree, $kid, $m);
?>
--EXPECT--
leaf 5 2 2
leaf 5 2 2
leaf 5 2 2
leaf 5 2 2
