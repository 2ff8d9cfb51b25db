--TEST--
igbinary is used when loaded, msgpack when asked for, and each value is read by what wrote it
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
echo other_php("apcu_store('igbinary', $value);", $igbinary);
echo other_php("apcu_store('msgpack', $value);", [...$msgpack, 'leveret.serializer' => 'msgpack']);
echo other_php("apcu_store('php', $value);", [...$igbinary, 'leveret.serializer' => 'php']);
echo other_php("foreach (['php', 'igbinary', 'msgpack'] as \$key) var_dump(apcu_fetch(\$key) === $value);", [...$igbinary, ...$msgpack]);
/* Neither is loaded here. */
var_dump(apcu_fetch('php', $success) === ['text' => 'x', 'list' => [1, 2.5, null, true]], $success);
var_dump(apcu_fetch('igbinary', $success), $success, apcu_fetch(['igbinary', 'msgpack', 'php']) === ['php' => apcu_fetch('php')], apcu_exists('igbinary'));
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)

Warning: apcu_fetch(): The stored value does not unserialize, it counts as missing: the extension igbinary is not loaded in %s on line %d

Warning: apcu_fetch(): The stored value does not unserialize, it counts as missing: the extension igbinary is not loaded in %s on line %d

Warning: apcu_fetch(): The stored value does not unserialize, it counts as missing: the extension msgpack is not loaded in %s on line %d
bool(false)
bool(false)
bool(true)
bool(true)
