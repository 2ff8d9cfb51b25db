--TEST--
Storing again while an earlier copy is in use
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
for ($i = 0; $i < 100; $i++) {
    apcu_store('a', ['i' => $i, 'text' => str_repeat('x', $i)]);
    $held[] = apcu_fetch('a');
}
foreach ($held as $i => $value) {
    if ($value !== ['i' => $i, 'text' => str_repeat('x', $i)]) {
        echo "wrong: $i\n";
    }
}
echo "done\n";
--EXPECT--
done
