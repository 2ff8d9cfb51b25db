--TEST--
Bent arrays that are read into the pool are arrays in everything, or refused, and harm no other one
--INI--
leveret.decoded_cache=512K
leveret.memory=8M
memory_limit=512M
--FILE--
<?php
require __DIR__ . '/../cache.inc';
require __DIR__ . '/bent.inc';
// Under valgrind each takes a hundred times as long.
bend_arrays(new_cache(), str_contains(file_get_contents('/proc/self/maps'), 'vgpreload') ? 2000 : 30000, (int) getenv('LEVERET_SEED') ?: 2, 400);
--EXPECT--
read and refused
