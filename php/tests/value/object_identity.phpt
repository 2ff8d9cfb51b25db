--TEST--
An object that occurs twice in a value is one object again
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
class Node { public $next; public $name; private $secret = 5; function secret() { return $this->secret++; } }
$node = new Node;
$node->name = 'a';
$node->next = $node;
apcu_store('a', [$node, $node, 'object' => new ArrayObject([1, 2])]);
$copy = apcu_fetch('a');
var_dump($copy[0] === $copy[1], $copy[0]->next === $copy[0], $copy[0] === $node, $copy[0]->secret(), $copy['object'][1]);
var_dump(apcu_fetch('a')[0] === $copy[0]);
// At its end PHP drops its heap with all cycles of objects, which valgrind reports as lost.
unset($node, $copy);
gc_collect_cycles();
--EXPECT--
bool(true)
bool(true)
bool(false)
int(5)
int(2)
bool(false)
