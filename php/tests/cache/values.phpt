--TEST--
Leveret\Cache gives back every kind of value as it was stored
--INI--
leveret.serializer=auto
--FILE--
<?php
require __DIR__ . '/../cache.inc';

enum Suit: string { case Hearts = 'h'; }
final class Point { public function __construct(public int $x, protected ?Point $next = null) {} }

$cache = new_cache();
$values = [
    'null' => null, 'true' => true, 'false' => false,
    'zero' => 0, 'most' => PHP_INT_MAX, 'least' => PHP_INT_MIN,
    'float' => 0.1, 'whole float' => 2.0, 'tiny' => 5e-324, 'infinite' => -INF,
    'empty' => '', 'one byte' => "\0", 'digits' => '42', 'binary' => "a\0b\xff", 'long' => str_repeat('0123456789', 50000),
    'list' => [1, 'two', [3.0, null]], 'empty array' => [], 'map' => ['a' => 1, 7 => 'b'],
    'case' => Suit::Hearts, 'object' => new Point(1, new Point(2)), 'date' => new DateTimeImmutable('2020-02-29 12:00 UTC'),
];
foreach ($values as $key => $value) {
    $cache->set($key, $value);
}
foreach ($values as $key => $value) {
    $got = $cache->get($key, 'missing');
    $same = is_object($value) ? $got == $value && $got::class === $value::class : $got === $value;
    if (!$same) {
        echo "$key: ", var_export($got, true), "\n";
    }
}
$cache->set('nan', NAN);
var_dump(is_nan($cache->get('nan')), $cache->get('case') === Suit::Hearts);
?>
--EXPECT--
bool(true)
bool(true)
