<?php
// Debian's unmodified Symfony: its locks and its sessions on a Memcached. Words: HOST PORT.

require_once 'Symfony/Component/Lock/autoload.php';
require_once 'Symfony/Component/HttpFoundation/autoload.php';

use Symfony\Component\HttpFoundation\Session\Session;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\MemcachedSessionHandler;
use Symfony\Component\HttpFoundation\Session\Storage\NativeSessionStorage;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\MemcachedStore;

ob_start(); // a session cannot begin behind output

function show(string $what, mixed $value): void
{
    echo $what, ': ', str_replace("\n", ' ', var_export($value, true)), "\n";
}

[, $host, $port] = $argv;
$memcached = new Memcached();
$memcached->addServer($host, (int) $port);
$memcached->flush();

$locks = new LockFactory(new MemcachedStore($memcached, 600));
$mine = $locks->createLock('invoice', 600);
$yours = $locks->createLock('invoice', 600);
show('lock', [$mine->acquire(), $yours->acquire(), $mine->isAcquired(), $yours->isAcquired()]);
$mine->refresh(600);
show('refreshed', [$mine->isAcquired(), $mine->getRemainingLifetime() > 60]);
try {
    $yours->refresh();
    show('refresh of another', true);
} catch (LockConflictedException $conflict) {
    show('refresh of another', get_class($conflict));
}
$mine->release();
show('released', [$mine->isAcquired(), $yours->acquire(), $mine->acquire()]);
$yours->release();
show('free again', $mine->acquire());

ini_set('session.use_cookies', 0);
ini_set('session.use_only_cookies', 0);
ini_set('session.cache_limiter', '');
$handler = new MemcachedSessionHandler($memcached, ['prefix' => 'site', 'expiretime' => 600]);
$session = new Session(new NativeSessionStorage(['use_strict_mode' => 0], $handler));
$session->setId('visitor7');
$session->start();
$session->set('user', ['id' => 7, 'name' => 'Ada']);
$session->getFlashBag()->add('notice', 'saved');
$session->save();
show('stored', preg_replace('/i:\d{10};/', 'i:TIME;', $memcached->get('sitevisitor7')));
$session->start();
show('read', [$session->all(), $session->getFlashBag()->get('notice'), $session->getFlashBag()->get('notice')]);
$session->migrate(true);
$session->save();
$new = $session->getId();
show('another id', [$memcached->get('sitevisitor7'), is_string($memcached->get("site$new")), $new !== 'visitor7']);
$session->start();
$session->invalidate();
show('ended', [$session->all(), $memcached->get("site$new")]);
$session->save();
show('nobody', [$handler->validateId('nobody'), $handler->read('nobody'), $handler->destroy('nobody'), $memcached->getResultCode()]);
