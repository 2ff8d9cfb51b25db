--TEST--
Memcached::setEncodingKey: values can be read with the key only, and not counted or appended to
--INI--
leveret.provide=apcu,memcached
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

function told(Memcached $m, mixed $answer): string { return json_encode($answer) . ' ' . $m->getResultCode(); }

$name = 'arena:phpt';
$key = '0123456789abcdef0123456789abcdef0123';
$clients = [];
foreach (['with' => $key, 'other' => strrev($key), 'without' => null] as $who => $its) {
    $m = $clients[$who] = new Memcached;
    $m->addServer($name, 0);
    if ($its !== null) {
        var_dump($m->setEncodingKey($its));
    }
}
['with' => $with, 'other' => $other, 'without' => $without] = $clients;
$values = ['text' => 'hello', 'empty' => '', 'int' => 42, 'float' => 1.5, 'yes' => true, 'list' => [1, ['a' => null]], 'long' => str_repeat('abc', 2000), 'block' => str_repeat('b', 16)];
foreach ($values as $k => $value) {
    $with->set($k, $value) && $with->get($k) === $value || print "$k differs\n";
}
var_dump($with->getMulti(array_keys($values)) === $values, $with->getResultCode());
echo bin2hex($without->get('text')), "\n";
echo told($other, $other->get('text')), ' ', told($other, $other->getMulti(array_keys($values))), "\n";
$without->set('plain', 'sixteen bytes ab');
$without->set('number', 7);
echo told($with, $with->get('plain')), ' ', told($with, $with->get('number')), ' ', told($with, $with->getMulti(['plain', 'text', 'none'])), "\n";
echo told($with, $with->get('plain', fn($m, $k, &$value) => $value = 'computed')), ' ', told($with, $with->get('plain')), "\n";
$found = $with->get('text', null, Memcached::GET_EXTENDED);
echo told($with, $with->cas($found['cas'], 'text', 'newer')), ' ', told($with, $with->get('text')), "\n";
$with->setOption(Memcached::OPT_COMPRESSION, false);
echo told($with, $with->append('text', 'x')), ' ', told($with, $with->prepend('text', 'x')), ' ', told($with, $with->increment('int')), ' ', told($with, $with->decrement('int')), "\n";
$with->getDelayed(['text', 'number', 'int']);
echo told($with, $with->fetchAll()), "\n";
$with->setEncodingKey('another');
echo told($with, $with->get('text')), ' ', told($with, $with->set('text', 'v')), ' ', told($with, $with->get('text')), "\n";
ob_start();
var_dump($with);
echo str_contains(ob_get_clean(), 'another') ? "shown\n" : "hidden\n";
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
int(0)
5e9d3d262a3c5853ac986ee800bef1ec
false 16 [] 16
false 16 false 16 {"text":"hello"} 0
"computed" 0 "computed" 0
true 0 "newer" 0
false 28 false 28 false 28 false 28
[{"key":"text","value":"newer"},{"key":"int","value":42}] 0
false 16 true 0 "v" 0
hidden
