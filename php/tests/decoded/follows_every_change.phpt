--TEST--
A kept array is served only while the arena holds that version
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
function held() { apcu_store('a', ['version' => 1]); for ($i = 0; $i < 3; $i++) $a = apcu_fetch('a'); return decoded_arrays() > 0 && $a === ['version' => 1]; }
$changes = [
    'store' => fn () => apcu_store('a', ['version' => 2]),
    'store a string' => fn () => apcu_store('a', 'version 2'),
    'store an equal array' => fn () => apcu_store('a', ['version' => 1]),
    'delete' => fn () => apcu_delete('a'),
    'delete and add' => fn () => [apcu_delete('a'), apcu_add('a', ['version' => 3])],
    'clear' => fn () => apcu_clear_cache(),
    'clear and add' => fn () => [apcu_clear_cache(), apcu_add('a', ['version' => 4])],
    'iterator' => fn () => apcu_delete(new APCUIterator('/^a$/')),
];
foreach ($changes as $name => $change) {
    var_dump(held());
    $change();
    echo $name, ': ', json_encode(apcu_fetch('a')), ' ', json_encode(apcu_fetch('a')), ' ', json_encode(apcu_fetch('a')), "\n";
}
--EXPECT--
bool(true)
store: {"version":2} {"version":2} {"version":2}
bool(true)
store a string: "version 2" "version 2" "version 2"
bool(true)
store an equal array: {"version":1} {"version":1} {"version":1}
bool(true)
delete: false false false
bool(true)
delete and add: {"version":3} {"version":3} {"version":3}
bool(true)
clear: false false false
bool(true)
clear and add: {"version":4} {"version":4} {"version":4}
bool(true)
iterator: false false false
