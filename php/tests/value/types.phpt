--TEST--
Every type comes back as it went
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (['', 'a', 'text', "nul\0byte", '12', 0, -1, PHP_INT_MAX, PHP_INT_MIN, true, false, null, [], [[]], [1, 'a' => ['b' => null]]] as $value) {
    if (!apcu_store('x', $value) || apcu_fetch('x', $success) !== $value || !$success) {
        var_dump($value, apcu_fetch('x'));
    }
}
echo "done\n";
--EXPECT--
done
