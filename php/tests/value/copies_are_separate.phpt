--TEST--
Each fetch gives a copy of its own
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['list' => [1, 2], 'object' => new stdClass]);
$one = apcu_fetch('a');
$two = apcu_fetch('a');
$one['list'][] = 3;
$one['object']->changed = true;
var_dump($two, apcu_fetch('a'));
--EXPECT--
array(2) {
  ["list"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
  ["object"]=>
  object(stdClass)#3 (0) {
  }
}
array(2) {
  ["list"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
  ["object"]=>
  object(stdClass)#4 (0) {
  }
}
