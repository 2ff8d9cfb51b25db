--TEST--
Strings, numbers, and arrays with objects or references inside are never kept
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$shared = 1;
$loop = [1];
$loop[] = &$loop;
apcu_store(['text' => str_repeat('x', 1000), 'number' => 5, 'object' => [new ArrayObject([1])], 'reference' => ['x' => &$shared, 'y' => &$shared], 'loop' => $loop, 'empty' => []]);
for ($i = 0; $i < 5; $i++) {
    foreach (['text', 'number', 'object', 'reference', 'loop', 'empty'] as $key) {
        $value[$key] = apcu_fetch($key);
    }
}
$value['object'][0][] = 2;
$value['reference']['x'] = 7;
var_dump(decoded_arrays(), count(apcu_fetch('object')[0]), $value['reference']['y'], apcu_fetch('reference')['y'], $value['empty']);
// PHP does not free a value that contains itself at its end; the test under valgrind expects all memory back.
unset($loop, $value);
gc_collect_cycles();
--EXPECT--
int(0)
int(1)
int(7)
int(1)
array(0) {
}
