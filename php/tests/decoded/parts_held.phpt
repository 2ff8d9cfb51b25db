--TEST--
Parts of a replaced array that a script holds do not change
--INI--
apc.enable_cli=1
leveret.decoded_cache=64K
--FILE--
<?php
require __DIR__ . '/../start.inc';
/* Each version says its number in every part of it, so that memory used again too early shows. */
function version(int $n): array
{
    return ["key $n" => "text $n", 'rows' => array_map(fn ($i) => ['id' => "$n/$i", "name $n" => ['deep' => ["deepest of $n"]]], range(0, 20)), 'n' => $n];
}

mt_srand(1);
$held = [];
for ($n = 0; $n < 5000; $n++) {
    apcu_store('a', version($n));
    for ($i = 0; $i < 3; $i++) {
        $a = apcu_fetch('a');
    }
    $row = mt_rand(0, 20);
    $held[mt_rand(0, 40)] = match (mt_rand(0, 7)) {
        0 => [$n, fn () => version($n), $a],
        1 => [$n, fn () => version($n)['rows'], $a['rows']],
        2 => [$n, fn () => version($n)['rows'][$row], $a['rows'][$row]],
        3 => [$n, fn () => "$n/$row", $a['rows'][$row]['id']],
        4 => [$n, fn () => ["deepest of $n"], $a['rows'][$row]["name $n"]['deep']],
        5 => [$n, fn () => "name $n", array_keys($a['rows'][$row])[1]],
        6 => [$n, fn () => version($n) + ['more' => 1], $a + ['more' => 1]],
        7 => [$n, fn () => ["key $n" => 'text ' . $n], array_filter($a, 'is_string')],
    };
    foreach (mt_rand(0, 9) ? [] : $held as [$of, $want, $have]) {
        if ($have !== $want()) {
            exit("version $of has changed\n");
        }
    }
}
echo "done\n";
--EXPECT--
done
