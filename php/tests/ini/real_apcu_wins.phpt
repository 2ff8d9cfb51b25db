--TEST--
If the real APCu is loaded it is used, in either order of loading; a setting that asks for ours causes a notice
--SKIPIF--
<?php foreach (['apcu'] as $name) is_file(ini_get('extension_dir') . "/$name.so") || die("skip this PHP has no $name");
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$code = 'var_dump(apcu_store("a", 1), apcu_fetch("a"));';
echo other_php($code, ['extension=apcu.so']);
echo other_php($code, ['leveret.provide' => '', 'extension=apcu.so']);
echo other_php($code, ['leveret.provide' => 'memcached,apcu', 'extension=apcu.so']);
var_dump(apcu_exists('a'));
--EXPECT--
bool(true)
int(1)
bool(true)
int(1)

Notice: leveret: the real extension apcu is loaded and is used; unload it, or take apcu out of leveret.provide in Unknown on line 0
bool(true)
int(1)
bool(false)
