--TEST--
APCUIterator: a regular expression sees each key as it is, short and long, valid UTF-8 and not
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$keys = ["\u{e9}t\u{e9}", "\xe9t\xe9", '', 'a', "a\0b", "with\nline", str_repeat('long', 1000), str_repeat("\u{e9}", 100), 'Z'];
foreach ($keys as $key) {
    apcu_store($key, 1);
}
foreach (['/^./u', '/^.{3}$/', "/\u{e9}/u", '/\x00/', '/^(long)+$/', '/^$/', '/z/i', '/^[a-z]+$/D'] as $regex) {
    $found = [];
    foreach (new APCUIterator($regex, APC_ITER_KEY) as $key => $item) {
        $found[] = $key;
    }
    $wanted = array_filter($keys, fn ($key) => @preg_match($regex, $key) === 1);
    sort($found);
    sort($wanted);
    echo count($found), ' ', $found === $wanted ? 'right' : 'wrong', ' ', (new APCUIterator($regex))->getTotalCount() === count($found) ? 'right' : 'wrong', "\n";
}
--EXPECT--
7 right right
2 right right
2 right right
1 right right
1 right right
1 right right
1 right right
2 right right
