--TEST--
Changed arrays in the compact form are refused, or read as valid arrays
--INI--
leveret.decoded_cache=0
leveret.memory=8M
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../cache.inc';
require __DIR__ . '/bent.inc';
// Under valgrind each takes a hundred times as long.
bend_arrays(new_cache(), str_contains(file_get_contents('/proc/self/maps'), 'vgpreload') ? 2000 : 30000, (int) getenv('LEVERET_SEED') ?: 1);
--EXPECT--
read and refused
