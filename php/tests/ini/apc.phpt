--TEST--
The directives apc.*, their defaults and where they may be set
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (ini_get_all('apcu') as $name => $entry) {
    echo $name, ' = ', var_export($entry['global_value'], true), $entry['access'] === INI_ALL ? ' anywhere' : ($entry['access'] === INI_SYSTEM ? '' : ' ?'), "\n";
}
var_dump(ini_set('apc.shm_size', '64M'), ini_set('apc.use_request_time', '1'));
--EXPECT--
apc.coredump_unmap = '0'
apc.enable_cli = '1'
apc.enabled = '1'
apc.entries_hint = '0'
apc.expunge_threshold = '0.5'
apc.gc_ttl = '3600'
apc.mmap_file_mask = NULL
apc.mmap_hugepage_size = '0'
apc.preload_path = NULL
apc.serializer = 'php'
apc.shm_size = '32M'
apc.slam_defense = '0'
apc.ttl = '0'
apc.use_request_time = '0' anywhere
bool(false)
string(1) "0"
