--TEST--
Memcached: OPT_USER_FLAGS are stored with the value, 16 bits of them
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

foreach ([on_arena(), on_server()] as $m) {
    foreach ([0, 1, 65535, -1] as $flags) {
        var_dump($m->setOption(Memcached::OPT_USER_FLAGS, $flags));
        $m->set('k', [str_repeat('x', 3000)]);
        var_dump($m->get('k', null, Memcached::GET_EXTENDED)['flags'], $m->get('k') === [str_repeat('x', 3000)]);
    }
    var_dump($m->setOption(Memcached::OPT_USER_FLAGS, 65536), $m->getOption(Memcached::OPT_USER_FLAGS));
}
?>
--EXPECTF--
bool(true)
int(0)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(65535)
bool(true)
bool(true)
int(0)
bool(true)

Warning: Memcached::setOption(): MEMC_OPT_USER_FLAGS must be < 65535 in %s on line %d
bool(false)
int(-1)
bool(true)
int(0)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(65535)
bool(true)
bool(true)
int(0)
bool(true)

Warning: Memcached::setOption(): MEMC_OPT_USER_FLAGS must be < 65535 in %s on line %d
bool(false)
int(-1)
