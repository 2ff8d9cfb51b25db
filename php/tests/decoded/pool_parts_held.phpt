--TEST--
Parts of an array that a script holds do not change while others are read into the pool
--INI--
apc.enable_cli=1
leveret.decoded_cache=256K
--FILE--
<?php
require __DIR__ . '/pool.inc';
// Under valgrind each takes a hundred times as long.
hold_parts(str_contains(file_get_contents('/proc/self/maps'), 'vgpreload') ? 300 : 20000, (int) getenv('LEVERET_SEED') ?: 1);
--EXPECT--
done
