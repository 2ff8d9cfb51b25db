--TEST--
leveret.provide empty, or without a module: no such module, no function, no class, no directive
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$ask = 'echo json_encode([array_map("extension_loaded", ["leveret", "apcu", "memcached", "memcache"]), function_exists("apcu_fetch"), class_exists("APCUIterator"), ini_get("apc.shm_size"),
    class_exists("Memcached"), ini_get("memcached.sess_locking"), class_exists("MemcachePool"), function_exists("memcache_get"), ini_get("memcache.protocol")]), "\n";';
foreach (['', 'apcu', ' memcached', "memcache,\tapcu", 'memcache memcached'] as $modules) {
    echo other_php($ask, ['leveret.provide' => $modules]);
}
--EXPECT--
[[true,false,false,false],false,false,false,false,false,false,false,false]
[[true,true,false,false],true,true,"32M",false,false,false,false,false]
[[true,false,true,false],false,false,false,true,"1",false,false,false]
[[true,true,false,true],true,true,"32M",false,false,true,true,"ascii"]
[[true,false,true,true],false,false,false,true,"1",true,true,"ascii"]
