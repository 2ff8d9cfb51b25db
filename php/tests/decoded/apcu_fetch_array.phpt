--TEST--
apcu_fetch of a list serves kept arrays too
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store(['a' => [1], 'b' => [2], 'c' => 'text']);
/* One after the other: where two keys share the place in which a first fetch is remembered, taking turns would keep neither. */
foreach (['a', 'b', 'c'] as $key) {
    for ($i = 0; $i < 4; $i++) {
        apcu_fetch([$key]);
    }
}
$found = apcu_fetch(['a', 'b', 'c']);
$found['a'][] = 'x';
var_dump(decoded_arrays(), apcu_fetch(['a', 'b', 'c']) === ['a' => [1], 'b' => [2], 'c' => 'text']);
--EXPECT--
int(2)
bool(true)
