--TEST--
Session handler memcache: items, locks and prefixes on an arena
--INI--
session.save_handler=memcache
session.save_path="arena:sessions?weight=1&timeout=1"
session.use_cookies=0
session.cache_limiter=
session.gc_maxlifetime=100
memcache.session_prefix_static_key=site-
output_buffering=1000000
--FILE--
<?php
require __DIR__ . '/../start.inc';
$pool = new MemcachePool;
$pool->addServer('arena:sessions', 0);
function visit(string $id, callable $do): void
{
    session_id($id);
    var_dump(session_start());
    $do();
    session_write_close();
}
visit('one', function () use ($pool) {
    $_SESSION['n'] = 1;
    echo 'while it is open: ', json_encode($pool->get(['site-one', 'site-one.lock'])), "\n";
});
echo 'written: ', json_encode($pool->get(['site-one', 'site-one.lock'])), "\n";
visit('one', fn() => print('read: ' . json_encode($_SESSION) . "\n"));
visit('one', fn() => session_destroy());
echo 'destroyed: ', json_encode($pool->get(['site-one', 'site-one.lock'])), "\n";
visit('two', function () { $_SESSION['n'] = 2; session_regenerate_id(true); $GLOBALS['new'] = session_id(); });
echo 'renamed: ', json_encode([$pool->get('site-two'), $pool->get("site-$new"), $pool->get("site-$new.lock")]), "\n";

echo "-- a lock that nobody holds is taken over, one that somebody has counted is waited for and left to him\n";
ini_set('memcache.lock_timeout', 1);
$pool->set('site-three.lock', 0);
visit('three', fn() => $_SESSION['n'] = 3);
$pool->set('site-three.lock', 1);
visit('three', fn() => $_SESSION['m'] = 4);
echo json_encode([$pool->get('site-three'), $pool->get('site-three.lock') > 1]), "\n";
echo "-- what cannot be read\n";
foreach (['', 'tcp://', 'arena:x?weight=0', 'arena:x?timeout=0', 'arena:x,tcp://127.0.0.1:99999'] as $path) {
    ini_set('session.save_path', $path);
    var_dump(@session_start());
}
--EXPECTF--
bool(true)
while it is open: {"site-one.lock":1099511627776}
written: {"site-one":"n|i:1;","site-one.lock":0}
bool(true)
read: {"n":1}
bool(true)
destroyed: []
bool(true)
renamed: [false,"n|i:2;",0]
-- a lock that nobody holds is taken over, one that somebody has counted is waited for and left to him
bool(true)

Warning: session_start(): The session is locked by another process for longer than memcache.lock_timeout (1 seconds), and is used without its lock in %s on line %d
bool(true)
["n|i:3;m|i:4;",true]
-- what cannot be read
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
