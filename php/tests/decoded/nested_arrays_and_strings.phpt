--TEST--
Parts of a kept array live on in variables, properties, constants and generators
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', ['text' => 'some text', 'rows' => [['id' => 1], ['id' => 2]], 'key' => 'name of a key']);
for ($i = 0; $i < 3; $i++) {
    $a = apcu_fetch('a');
}
$object = new stdClass;
$object->{$a['key']} = $a['rows'];
$object->{$a['key']}[0]['id'] = 'changed';
define('ROWS', $a['rows']);
class Keeps { public static $kept; }
Keeps::$kept = $a;
Keeps::$kept['rows'][1]['id'] = 'static';
$generator = (function ($rows) { yield from $rows; })($a['rows']);
$text = $a['text'];
$text[0] = 'S';
$closure = fn () => $a['rows'];
unset($a);
apcu_store('a', 'something else');
apcu_fetch('a');
var_dump(ROWS, $object->{'name of a key'}[0]['id'], Keeps::$kept['rows'][1]['id'], iterator_to_array($generator)[1]['id'], $text, $closure()[0]['id']);
--EXPECT--
array(2) {
  [0]=>
  array(1) {
    ["id"]=>
    int(1)
  }
  [1]=>
  array(1) {
    ["id"]=>
    int(2)
  }
}
string(7) "changed"
string(6) "static"
int(2)
string(9) "Some text"
int(1)
