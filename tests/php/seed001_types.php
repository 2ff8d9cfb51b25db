<?php
// The program about data types: integers, strings, lists and objects come back with their types. Words: CLASS HOST PORT.

final class Point
{
    public $x = 1;
    protected $y = [2];
    private $z = 'three';
}

[, $class, $host, $port] = $argv;
$cache = new $class();
$cache->addServer($host, (int) $port);
$cache->flush();

$values = [1 => 100, 'string', [1, 2, 3], ['type' => 'reguler', 'color' => 'blue'], new Point(), 1.25, true, false, null, '', -5, '007', PHP_INT_MIN];
foreach ($values as $key => $value) {
    var_dump($cache->set($key, $value));
}
foreach ($values as $key => $value) {
    var_dump($cache->get($key));
}
// All at once, with a missing one.
$all = $class === 'Memcached' ? $cache->getMulti([1, 2, 99, 3]) : $cache->get([1, 2, 99, 3]);
ksort($all);
var_dump($all);
