--TEST--
Arrays of every plain kind come back as they went, and go on as they would
--INI--
apc.enable_cli=1
leveret.decoded_cache=0
--FILE--
<?php
require __DIR__ . '/../start.inc';
function any(int $depth = 0): mixed
{
    return match (mt_rand(0, $depth > 3 ? 6 : 8)) {
        0 => null,
        1 => (bool) mt_rand(0, 1),
        2 => mt_rand() - 1000000000,
        3 => [PHP_INT_MAX, PHP_INT_MIN, 0, -1, 999999999999999999, -1000000000000000000][mt_rand(0, 5)],
        4 => mt_rand() / mt_rand(1, 99) * 10 ** mt_rand(-300, 300) * [1, -1, INF][mt_rand(0, 2)],
        5 => substr(str_repeat("a\"b;\0c{}", 20), 0, mt_rand(0, 130)),
        6 => (string) mt_rand(-5, 99),
        7 => array_map(fn () => any($depth + 1), range(0, mt_rand(0, 20))),
        8 => [],
    };
}

function keyed(): array
{
    foreach (array_rand(array_flip([-3, 0, 1, 5, 'id', 'name', '', 'a"b', '007', '-0', str_repeat('long', 50)]), mt_rand(2, 9)) as $key) {
        $array[$key] = any(1);
    }
    return $array;
}

mt_srand(1);
for ($i = 0; $i < 3000; $i++) {
    $value = [any(), keyed(), [keyed(), keyed()]];
    apcu_store('a', $value);
    $read = apcu_fetch('a');
    $value[1][] = $read[1][] = 'next';
    if ($read !== $value) {
        exit(serialize($value) . "\n");
    }
}
$deep = 1;
for ($i = 0; $i < 200; $i++) {
    $deep = ['deeper' => $deep];
}
apcu_store('a', $deep);
var_dump(apcu_fetch('a') === $deep);
--EXPECT--
bool(true)
