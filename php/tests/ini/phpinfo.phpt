--TEST--
phpinfo shows the arena's path, size and use
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
apcu_store('a', 1);
apcu_fetch('a');
apcu_fetch('missing');
ob_start();
(new ReflectionExtension('apcu'))->info();
echo preg_replace('~/\S*/leveret-phpt-\d+~', 'FOLDER', explode("\n\n", ob_get_clean())[1]), "\n";
ob_start();
(new ReflectionExtension('leveret'))->info();
echo preg_replace('~/\S*/leveret-phpt-\d+~', 'FOLDER', explode("\n\n", ob_get_clean())[1]), "\n";
echo preg_match('/Arena => .*/', other_php("(new ReflectionExtension('apcu'))->info();", ['leveret.apcu_cli' => 'private']), $found) ? $found[0] : 'none', "\n";
--EXPECTF--
APCu Support => Enabled
Version => 5.1.24
Provided by => leveret %s
Serialization Support => php
Arena => FOLDER/apcu-%d.%d.arena
Arena size => 33554432 bytes
Arena use => 1 items, %d bytes; file: %d bytes
Hit rate => 50.0 % of 2 reads
Evicted, expired => 0, 0
Attached processes => %d
Unreadable values => 0 in this process
leveret support => enabled
Version => %s
Layout version => %d
Serializers => php
Module apcu => provided, as version 5.1.24
Module memcached => provided, as version 3.3.0
Module memcache => provided, as version %s
Module redis => not provided: leveret.provide does not name it
Arena => default: not open (%sno arena%s)
Decoded-value cache => 0 arrays, 0 bytes in this process
Arena => private to this process and those forked from it
