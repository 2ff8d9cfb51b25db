--TEST--
A value that cannot be unserialized is a miss for every function: apcu_entry computes it again
--SKIPIF--
<?php foreach (['igbinary'] as $name) is_file(ini_get('extension_dir') . "/$name.so") || die("skip this PHP has no $name");
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
echo other_php('apcu_store("a", [1, 2, 3]);', ['extension=igbinary.so', 'apc.serializer' => 'igbinary']);
var_dump(apcu_fetch('a'), count(iterator_to_array(new APCUIterator(null, APC_ITER_KEY))), iterator_to_array(new APCUIterator('/^a$/')));
var_dump(apcu_entry('a', fn () => 'computed'));
apcu_store('a', 'readable again');
var_dump(apcu_fetch('a'));
--EXPECT--
leveret: a stored value of apcu_* counts as missing, as others of this process will in silence: the extension igbinary is not loaded
bool(false)
int(1)
array(0) {
}
string(8) "computed"
string(14) "readable again"
