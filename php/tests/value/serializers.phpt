--TEST--
igbinary and msgpack are used if configured, each value is read by its own serializer, and an unreadable one is a miss without a warning
--SKIPIF--
<?php foreach (['igbinary', 'msgpack'] as $name) is_file(ini_get('extension_dir') . "/$name.so") || die("skip this PHP has no $name");
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
$value = '["text" => "x", "list" => [1, 2.5, null, true]]';
$igbinary = ['extension=igbinary.so'];
$msgpack = ['extension=msgpack.so'];
echo other_php("apcu_store('igbinary', $value);", [...$igbinary, 'apc.serializer' => 'igbinary']);
echo other_php("apcu_store('msgpack', $value);", [...$msgpack, 'leveret.serializer' => 'msgpack']);
echo other_php("apcu_store('php', $value);", [...$igbinary, 'leveret.serializer' => 'php']);
echo other_php("foreach (['php', 'igbinary', 'msgpack'] as \$key) var_dump(apcu_fetch(\$key) === $value);", [...$igbinary, ...$msgpack]);
/* Neither is loaded here. */
var_dump(apcu_fetch('php', $success) === ['text' => 'x', 'list' => [1, 2.5, null, true]], $success);
var_dump(apcu_fetch('igbinary', $success), $success, apcu_fetch(['igbinary', 'msgpack', 'php']) === ['php' => apcu_fetch('php')], apcu_exists('igbinary'));
ob_start();
(new ReflectionExtension('apcu'))->info();
preg_match('/Unreadable values => .*/', ob_get_clean(), $found);
echo $found[0], "\n";
/* As APCu: what is stored while igbinary is loaded does not need it. */
echo other_php('apcu_store("default", [1, 2]);', $igbinary);
var_dump(apcu_fetch('default') === [1, 2]);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
leveret: a stored value of apcu_* counts as missing, as others of this process will in silence: the extension igbinary is not loaded
bool(false)
bool(false)
bool(true)
bool(true)
Unreadable values => 3 in this process
bool(true)
