<?php
$memcached = new Memcached;
$memcached->addServer( '127.0.0.1', 11211 );
$m = $memcached->get( 'foo' );
$memcached->quit();
