--TEST--
A value out of range: one clear warning each, and the default
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
$code = 'foreach (["leveret.memory", "leveret.lock_timeout", "leveret.decoded_cache", "leveret.serializer", "leveret.provide", "leveret.dir", "apc.shm_size"] as $name) echo $name, " ", ini_get($name), "\n";';
echo other_php($code, ['leveret.memory' => '1M', 'leveret.lock_timeout' => 'soon', 'leveret.decoded_cache' => '-1', 'leveret.serializer' => 'json', 'leveret.provide' => 'apcu,yac', 'leveret.dir' => 'relative/path', 'apc.shm_size' => 'large']);
--EXPECT--
Warning: leveret.dir must be the absolute path of a folder, or empty, "relative/path" is not; the default is used in Unknown on line 0

Warning: leveret.memory must be a size from 8M to 1024G, "1M" is not; the default is used in Unknown on line 0

Warning: leveret.provide must be a list of drop-in modules (apcu, memcached, memcache, redis) or empty, "apcu,yac" is not; the default is used in Unknown on line 0

Warning: leveret.serializer must be auto, php, igbinary or msgpack, "json" is not; the default is used in Unknown on line 0

Warning: leveret.decoded_cache must be a size from 0 (off) to 1G, "-1" is not; the default is used in Unknown on line 0

Warning: leveret.lock_timeout must be a number of milliseconds from 1 to 60000, "soon" is not; the default is used in Unknown on line 0

Warning: apc.shm_size must be a size (with a suffix K, M or G), "large" is not; the default is used in Unknown on line 0
leveret.memory 64M
leveret.lock_timeout 1000
leveret.decoded_cache 8M
leveret.serializer auto
leveret.provide apcu,memcached,memcache
leveret.dir 
apc.shm_size 32M
