--TEST--
apc.serializer chooses where it is set and leveret.serializer is auto
--SKIPIF--
<?php foreach (['igbinary', 'msgpack'] as $name) is_file(ini_get('extension_dir') . "/$name.so") || die("skip this PHP has no $name");
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
$loaded = ['extension=igbinary.so', 'extension=msgpack.so'];
/* What is not loaded cannot read: so the reader tells who wrote. */
$readers = ['php' => [], 'igbinary' => ['extension=igbinary.so'], 'msgpack' => ['extension=msgpack.so']];
$settings = [[], ['apc.serializer' => 'php'], ['apc.serializer' => 'igbinary'], ['apc.serializer' => 'msgpack'], ['apc.serializer' => 'default'],
    ['apc.serializer' => 'php', 'leveret.serializer' => 'msgpack'], ['leveret.provide' => '', 'apc.serializer' => 'php']];
/* Left to itself, Leveret stores plain arrays and objects in a form that all read, and what has an object of another kind in it by
 * igbinary. */
$class = 'class Wakes { public $a = 1; function __wakeup() {} } ';
foreach (["['list', [1.5], new Wakes()]", "['list', [1.5]]"] as $value) {
    foreach ($settings as $setting) {
        echo other_php("$class(new Leveret\\Cache)->set('key', $value); echo json_encode(ini_get('apc.serializer')), ' ';", [...$loaded, ...$setting]);
        foreach ($readers as $name => $extensions) {
            echo other_php("{$class}if (@(new Leveret\\Cache)->get('key') == $value) echo '$name ';", $extensions);
        }
        echo "\n";
    }
}
?>
--EXPECT--
"php" igbinary 
"php" php igbinary msgpack 
"igbinary" igbinary 
"msgpack" msgpack 
"default" igbinary 
"php" msgpack 
false igbinary 
"php" php igbinary msgpack 
"php" php igbinary msgpack 
"igbinary" igbinary 
"msgpack" msgpack 
"default" php igbinary msgpack 
"php" msgpack 
false php igbinary msgpack 
