--TEST--
The classes on an arena serve kept arrays, each entrance its own, and only while the arena holds that version
--FILE--
<?php
require __DIR__ . '/../memcached.inc';
$rows = array_map(fn ($i) => ['id' => $i, 'name' => "name $i", 'price' => $i / 4, 'none' => null], range(1, 200));
$memcached = on_arena();
$memcache = new Memcache();
$memcache->addServer('arena:phpt', 0);
$native = new Leveret\Cache('phpt');
$readers = [
    'get' => fn () => $memcached->get('a'),
    'getMulti' => fn () => $memcached->getMulti(['none', 'a', 's'])['a'] ?? false,
    'memcache_get' => fn () => $memcache->get('a'),
    'Leveret\Cache' => fn () => $native->get('a') ?? false,
];
$changes = [
    'set' => fn () => $memcached->set('a', ['set' => 1]),
    'an equal array' => fn () => $memcached->set('a', $rows),
    'Memcache' => fn () => $memcache->set('a', ['memcache' => 2]),
    'native' => fn () => $native->set('a', ['native' => 3]),
    'a string' => fn () => $memcached->set('a', 'text'),
    'delete' => fn () => $memcached->delete('a'),
    'flush' => fn () => $memcached->flush(),
];
$memcached->set('s', 'string');
foreach ($readers as $name => $read) {
    echo "$name:";
    foreach ($changes as $change => $do) {
        $memcached->set('a', $rows);
        for ($i = 0; $i < 4; $i++) {
            if ($read() !== $rows) {
                die(" wrong before '$change'\n");
            }
        }
        $kept[$name][decoded_arrays()] = true;
        $do();
        $after = array_unique(array_map(fn () => json_encode($read() === $rows ? 'rows' : $read()), range(1, 4)));
        echo " $change ", implode(' or ', $after), ';';
    }
    echo "\n";
}
echo 'kept, of one view after the other: ', json_encode(array_map(array_keys(...), $kept)), "\n";
echo "a write to what was given stays the script's: ";
$memcached->set('a', $rows);
for ($i = 0; $i < 3; $i++) {
    $given = $memcached->get('a');
    $given[0]['id'] = 'changed';
    $given[] = 'more';
}
var_dump($memcached->get('a') === $rows);
--EXPECT--
get: set {"set":1}; an equal array "rows"; Memcache {"memcache":2}; native {"native":3}; a string "text"; delete false; flush false;
getMulti: set {"set":1}; an equal array "rows"; Memcache {"memcache":2}; native {"native":3}; a string "text"; delete false; flush false;
memcache_get: set {"set":1}; an equal array "rows"; Memcache {"memcache":2}; native {"native":3}; a string "text"; delete false; flush false;
Leveret\Cache: set {"set":1}; an equal array "rows"; Memcache {"memcache":2}; native {"native":3}; a string "text"; delete false; flush false;
kept, of one view after the other: {"get":[1],"getMulti":[1],"memcache_get":[1],"Leveret\\Cache":[1]}
a write to what was given stays the script's: bool(true)
