--TEST--
APCUIterator with a regular expression finds the items that match, with the same fields as one without, whatever the keys and the format
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
mt_srand((int) getenv('LEVERET_SEED') ?: 1);
$parts = ['user', ':', 'é', "\xFF", "\0", 'ß', '/', ' ', '7'];
for ($i = 0; $i < 400; $i++) {
    $key = "k$i:";
    for ($n = mt_rand(0, 9) ? mt_rand(0, 12) : mt_rand(100, 300); $n > 0; $n--) {
        $key .= $parts[array_rand($parts)];
    }
    apcu_store($key, [$i, 1.5 * $i, "text $i", [$i], null][$i % 5], $i % 7 ? 0 : 1000 + $i);
    for ($n = $i % 4; $n > 0; $n--) {
        apcu_fetch($key);
    }
}
$formats = [APC_ITER_ALL, 0, APC_ITER_KEY | APC_ITER_VALUE, APC_ITER_TYPE | APC_ITER_KEY | APC_ITER_DTIME | APC_ITER_REFCOUNT, APC_ITER_MEM_SIZE | APC_ITER_TTL];
for ($bit = 1; $bit <= APC_ITER_TTL; $bit *= 2) {
    $formats[] = $bit;
}
foreach ($formats as $format) {
    $all = iterator_to_array(new APCUIterator(null, $format));
    foreach (['/./s', '/^k1/', '/user.*user/s', '/é$/', '/é$/u', '/^\w+:$/u', '/[^[:ascii:]]/', '/USER/i', '/(ß)(.)\1/us', '/none of them/', '~\x00~', '/.{200}/s'] as $regex) {
        $want = array_filter($all, fn ($key) => @preg_match($regex, (string) $key) === 1, ARRAY_FILTER_USE_KEY);
        $found = new APCUIterator($regex, $format);
        $got = iterator_to_array($found);
        ksort($want);
        ksort($got);
        if ($got !== $want || $found->getTotalCount() !== count($want)) {
            exit("$regex, format $format: " . count($got) . ' for ' . count($want) . "\n");
        }
        if ($format === APC_ITER_ALL && ($found->getTotalSize() !== array_sum(array_column($want, 'mem_size')) || $found->getTotalHits() !== array_sum(array_column($want, 'num_hits')))) {
            exit("$regex: other totals\n");
        }
    }
}
var_dump(count($all));
foreach ([APC_ITER_KEY, APC_ITER_ALL] as $format) {
    $left = count($all = iterator_to_array(new APCUIterator(null, APC_ITER_KEY))) - count(preg_grep($regex = ['/^k1/', '/^k2/'][$format === APC_ITER_KEY], array_keys($all)));
    var_dump(apcu_delete(new APCUIterator($regex, $format)), (new APCUIterator())->getTotalCount() === $left);
}
// Items that are stored again, or go, during the walk.
$seen = 0;
foreach (new APCUIterator('/^k/', APC_ITER_KEY | APC_ITER_VALUE) as $key => $item) {
    $seen += (int) ($item['key'] === $key);
    apcu_store($key, 'again');
}
var_dump($seen === (new APCUIterator())->getTotalCount());
foreach (new APCUIterator('/^k/', APC_ITER_KEY) as $key => $item) {
    apcu_delete($key);
}
var_dump((new APCUIterator())->getTotalCount());
--EXPECT--
int(400)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(0)
