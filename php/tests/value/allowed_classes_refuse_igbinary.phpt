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
echo other_php('apcu_store("a", new ArrayObject);', ['extension=igbinary.so', 'apc.serializer' => 'igbinary']);
echo other_php('var_dump(apcu_fetch("a")); apcu_store("b", [new stdClass]);', ['extension=igbinary.so', 'leveret.allowed_classes' => 'stdClass']);
var_dump(apcu_fetch('b'));
--EXPECT--
leveret: a stored value of apcu_* counts as missing, as others of this process will in silence: it is of igbinary or msgpack, which cannot keep to leveret.allowed_classes
bool(false)
array(1) {
  [0]=>
  object(stdClass)#2 (0) {
  }
}
