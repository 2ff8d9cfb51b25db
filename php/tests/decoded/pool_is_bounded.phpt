--TEST--
The pool keeps to leveret.decoded_cache and to an eighth of memory_limit, is used again, and counts for memory_limit
--SKIPIF--
<?php
if (PHP_DEBUG || getenv('USE_ZEND_ALLOC') === '0') die("skip the pool's blocks lie outside of PHP's heap here");
?>
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
leveret.decoded_cache=4M
memory_limit=128M
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($n = 0; $n < 400; $n++) {
    apcu_store("array $n", array_map(fn ($i) => ['id' => "$n/$i", 'name' => "name of $i"], range(1, 200)));
}
function most(int $held, int $begin): int
{
    $all = [];
    $before = memory_get_usage();
    for ($n = $begin; $n < $begin + 100; $n++) {
        $all[$n % $held] = apcu_fetch("array $n");
        if ($all[$n % $held][199]['id'] !== "$n/200") {
            exit("wrong\n");
        }
        $most = max($most ?? 0, memory_get_usage() - $before);
    }
    return $most;
}
// An array takes about 70 KB: without reuse a hundred take 4 MB.
var_dump(most(2, 0) < 1000000, most(2, 0) < 100000);
// Arrays beyond the pool's size are in the heap.
var_dump(($held = most(100, 100)) > 3000000 && $held < 12000000);
// The pool stays unchanged.
var_dump(most(100, 200) > 1000000, most(2, 300) < 100000);
// The pool takes a small part of a small memory_limit, and ends no script.
$code = 'for ($n = 0; $n < 100; $n++) $all[] = apcu_fetch("array $n");';
foreach (['4M', '16M', '-1'] as $limit) {
    var_dump(other_php("$code echo count(\$all);", ['memory_limit' => $limit]) === '100' || $limit === '4M');
}
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
