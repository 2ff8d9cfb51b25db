--TEST--
The directives leveret.* and their defaults; php.ini decides
--INI--
apc.enable_cli=1
--FILE--
<?php
require __DIR__ . '/../start.inc';
foreach (ini_get_all('leveret') as $name => $entry) {
    echo $name, ' = ', var_export($entry['global_value'], true), $entry['access'] === INI_SYSTEM ? '' : ' ?', "\n";
}
--EXPECTF--
leveret.allowed_classes = ''
leveret.apcu_arena = 'apcu-%d.%d'
leveret.apcu_cli = 'private'
leveret.apcu_persist = '0'
leveret.arena = 'default'
leveret.decoded_cache = '8M'
leveret.dir = ''
leveret.lock_timeout = '1000'
leveret.memory = '64M'
leveret.provide = 'apcu,memcached,memcache'
leveret.serializer = 'auto'
leveret.tls_ca_file = ''
leveret.tls_certificate = ''
leveret.tls_key = ''
leveret.tls_peer_name = ''
leveret.tls_verify = '1'
