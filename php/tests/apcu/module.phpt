--TEST--
The module apcu: loaded, a current version, its constants
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
var_dump(extension_loaded('apcu'), version_compare(phpversion('apcu'), '5.1.20', '>='), function_exists('apcu_entry'));
foreach (['LIST_ACTIVE', 'LIST_DELETED', 'ITER_TYPE', 'ITER_KEY', 'ITER_VALUE', 'ITER_NUM_HITS', 'ITER_MTIME', 'ITER_CTIME', 'ITER_DTIME', 'ITER_ATIME', 'ITER_REFCOUNT', 'ITER_MEM_SIZE', 'ITER_TTL', 'ITER_NONE', 'ITER_ALL'] as $name) {
    echo $name, ' ', constant("APC_$name"), "\n";
}
--EXPECT--
bool(true)
bool(true)
bool(true)
LIST_ACTIVE 1
LIST_DELETED 2
ITER_TYPE 1
ITER_KEY 2
ITER_VALUE 4
ITER_NUM_HITS 8
ITER_MTIME 16
ITER_CTIME 32
ITER_DTIME 64
ITER_ATIME 128
ITER_REFCOUNT 256
ITER_MEM_SIZE 512
ITER_TTL 1024
ITER_NONE 0
ITER_ALL 4294967295
