--TEST--
leveret.allowed_classes: igbinary cannot keep to it, so its data is refused and PHP's format is written
--SKIPIF--
<?php foreach (['igbinary'] as $name) is_file(ini_get('extension_dir') . "/$name.so") || die("skip this PHP has no $name");
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
echo other_php('apcu_store("a", new ArrayObject);', ['extension=igbinary.so']);
echo other_php('var_dump(@apcu_fetch("a")); echo error_get_last()["message"], "\n"; apcu_store("b", [new stdClass]);', ['extension=igbinary.so', 'leveret.allowed_classes' => 'stdClass']);
var_dump(apcu_fetch('b'));
--EXPECT--
bool(false)
apcu_fetch(): The stored value does not unserialize, it counts as missing: it is of igbinary or msgpack, which cannot keep to leveret.allowed_classes
array(1) {
  [0]=>
  object(stdClass)#2 (0) {
  }
}
