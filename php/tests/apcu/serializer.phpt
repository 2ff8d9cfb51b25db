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
foreach ($settings as $setting) {
    echo other_php("(new Leveret\\Cache)->set('key', ['list', [1.5]]); echo json_encode(ini_get('apc.serializer')), ' ';", [...$loaded, ...$setting]);
    foreach ($readers as $name => $extensions) {
        echo other_php("if (@(new Leveret\\Cache)->get('key') === ['list', [1.5]]) echo '$name ';", $extensions);
    }
    echo "\n";
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
