<?php
$redis = new Redis;
$redis->connect('127.0.0.1', 6379);
$redis->set( 'foo', 'hello world' );

$memcached = new Memcached;
$memcached->addServer( '127.0.0.1', 11211 );
$memcached->set( 'foo', 'hello world' );

file_put_contents( '/tmp/foo.txt', 'hello world' );

for ( $i = 0; $i < 10000; $i++ ) {
    $r = $redis->get( 'foo' );
    $m = $memcached->get( 'foo' );
    $f = file_get_contents( '/tmp/foo.txt' );
}

$redis->close();
$memcached->quit();
exit;
