--TEST--
Memcached: get() returns what set() stored, with its type
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

class Point { public $x = 1; protected $y = [2]; private $z = 'z'; }
$values = ['', 'text', "\0\xff", 0, -7, PHP_INT_MAX, PHP_INT_MIN, 1.5, 0.1 + 0.2, 1e100, -0.0, INF, true, false, null, [], ['a' => [1, null]], new Point, str_repeat('abc', 5000), random_bytes(5000)];
foreach (['arena' => on_arena(), 'server' => on_server()] as $where => $m) {
    foreach ($values as $number => $value) {
        $stored = $m->set("k$number", $value);
        $found = $m->get("k$number");
        if (!$stored || $m->getResultCode() !== 0 || serialize($found) !== serialize($value)) {
            echo "$where: ", var_export($value, true), ' became ', var_export($found, true), "\n";
        }
    }
    tell($m, $m->get('missing'));
    tell($m, is_nan($m->set('nan', NAN) ? $m->get('nan') : 0));
}
?>
--EXPECT--
false RES_NOTFOUND
true RES_SUCCESS
false RES_NOTFOUND
true RES_SUCCESS
