--TEST--
A session with an object that holds a Memcached: the session is kept, and the Memcached comes back empty, as the original's does
--INI--
session.use_cookies=0
session.cache_limiter=
output_buffering=1000000
--FILE--
<?php
require __DIR__ . '/../start.inc';

class Cart
{
    public array $items = ['book'];
    public ?Memcached $cache = null;
}

ini_set('session.save_path', 'arena:sessions');
foreach (['memcached', 'memcache'] as $handler) {
    ini_set('session.save_handler', $handler);
    session_id("of-$handler");
    session_start();
    $_SESSION['cart'] = new Cart;
    $_SESSION['cart']->cache = new Memcached;
    $_SESSION['cart']->cache->addServer('arena:sessions', 0);
    session_write_close();
    $_SESSION = [];
    session_start();
    var_dump($_SESSION['cart']->items, $_SESSION['cart']->cache::class);
    session_write_close();
}
--EXPECT--
array(1) {
  [0]=>
  string(4) "book"
}
string(9) "Memcached"
array(1) {
  [0]=>
  string(4) "book"
}
string(9) "Memcached"
