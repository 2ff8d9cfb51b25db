--TEST--
Memcached: a server that is not there: codes, messages, errno and which server it was
--INI--
leveret.provide=apcu,memcached
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

$m = new Memcached();
$m->addServer("$arenas/nobody.socket", 0);
$m->setOption(Memcached::OPT_RETRY_TIMEOUT, 0);
var_dump($m->get('k'), $m->getResultCode() !== 0, $m->getLastErrorCode() === $m->getResultCode(), $m->getLastErrorErrno(), $m->getLastDisconnectedServer()['host'] === "$arenas/nobody.socket");
echo json_encode($m->getMulti(['k', 'l'])), ' ', $m->getResultMessage(), '; ', $m->getLastErrorMessage(), '; ', $m->getLastErrorErrno(), "\n";
echo json_encode($m->getDelayed(['k', 'l'])), ' ', $m->getResultMessage(), '; ', $m->getLastErrorMessage(), '; ', $m->getLastErrorErrno(), "\n";
echo json_encode($m->fetchAll()), ' ', $m->getResultMessage(), '; ', $m->getLastErrorMessage(), '; ', $m->getLastErrorErrno(), "\n";
var_dump($m->set('k', 1), $m->getMulti(['k']), $m->deleteMulti(['k'])['k'] > 0, $m->getStats());
$m = on_server();
$m->set('k', 'text');
tell($m, $m->increment('k'));
echo $m->getResultMessage(), '; ', $m->getLastErrorMessage(), '; ', $m->getLastErrorCode(), "\n";
tell($m, $m->get('missing'));
echo $m->getResultMessage(), '; ', $m->getLastErrorMessage(), '; ', $m->getLastErrorCode(), "\n";
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
int(2)
bool(true)
false SYSTEM ERROR: No such file or directory; SYSTEM ERROR(No such file or directory); 2
false SYSTEM ERROR: No such file or directory; SYSTEM ERROR(No such file or directory); 2
false NOT FOUND; SYSTEM ERROR(No such file or directory); 2
bool(false)
bool(false)
bool(true)
bool(false)
false RES_CLIENT_ERROR
CLIENT ERROR; cannot increment or decrement non-numeric value; 9
false RES_NOTFOUND
NOT FOUND; SUCCESS; 0
