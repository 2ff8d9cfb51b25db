--TEST--
Memcached: servers from libmemcached's connection string, and errors in one
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach (['--SERVER=arena:phpt', '--SERVER=10.0.0.1:11222 --SERVER=/tmp/a.socket', '--SERVER=host/?7', '--SERVER=host:1/?7', '--SERVER="10.0.0.1"  --server=db', '--SOCKET=/tmp/a.socket --SERVER=arena:phpt/?2', ''] as $string) {
    echo json_encode((new Memcached(null, null, $string))->getServerList(), JSON_UNESCAPED_SLASHES), "\n";
}
foreach (['--SERVER=', 'nonsense', '--SERVER=a:70000', '--SERVER=a:-1', '--SERVER=a/?-5', '--SERVER="a', '--NAMESPACE=', '--HASH=none', '--CONNECT-TIMEOUT=99999999999', '--SERVER=a --POOL=3'] as $string) {
    foreach ([null, 'shared'] as $id) {
        try {
            new Memcached($id, null, $string);
            echo "no exception for $string\n";
        } catch (MemcachedException $e) {
        }
    }
}
echo $e->getMessage(), "\n";
var_dump((new Memcached('shared'))->isPristine());
?>
--EXPECT--
[{"host":"arena:phpt","port":0,"type":"SOCKET"}]
[{"host":"10.0.0.1","port":11222,"type":"TCP"},{"host":"/tmp/a.socket","port":0,"type":"SOCKET"}]
[{"host":"host","port":11211,"type":"TCP"}]
[{"host":"host","port":1,"type":"TCP"}]
[{"host":"10.0.0.1","port":11211,"type":"TCP"},{"host":"db","port":11211,"type":"TCP"}]
[{"host":"/tmp/a.socket","port":0,"type":"SOCKET"},{"host":"arena:phpt","port":0,"type":"SOCKET"}]
[]
Memcached configuration: "--POOL=3" is not understood
bool(true)
