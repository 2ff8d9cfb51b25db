<?php
for ( $i = 0; $i < 10000; $i++ ) {
    $redis = new Redis;
    $redis->connect( '127.0.0.1', 6379 );
    $r = $redis->get( 'foo' );
    $redis->close();

    $memcached = new Memcached;
    $memcached->addServer( '127.0.0.1', 11211 );
    $m = $memcached->get( 'foo' );
    $memcached->quit();

    $f = file_get_contents( '/tmp/foo.txt' );
}
