--TEST--
The cycle collector passes through kept arrays and leaves them whole
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Node { public $self; public $array; public $part; }
$value = ['name' => 'same', 'rows' => [['a' => [1, 'same']], ['a' => [2, 'same']]]];
apcu_store('a', $value);
for ($i = 0; $i < 200; $i++) {
    $node = new Node;
    $node->self = $node;
    $node->array = apcu_fetch('a');
    $node->part = [$node, $node->array['rows'][1], apcu_fetch('a')['rows']];
    if ($i % 3 === 0) {
        $kept[] = $node;
    }
    unset($node);
    if ($i % 10 === 0) {
        gc_collect_cycles();
    }
    if (apcu_fetch('a') !== $value) {
        exit("changed\n");
    }
}
foreach ($kept as $node) {
    if ($node->array !== $value || $node->part[2] !== $value['rows']) {
        exit("changed\n");
    }
}
unset($node, $kept);
var_dump(gc_collect_cycles() > 0, apcu_fetch('a') === $value, decoded_arrays());
--EXPECT--
bool(true)
bool(true)
int(1)
