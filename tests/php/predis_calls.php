<?php
// Predis' calls, a line each. Words: HOST PORT.

require_once 'Predis/autoload.php';

use Predis\Response\ServerException;

function show(string $what, mixed $value): void
{
    echo $what, ': ', str_replace("\n", ' ', var_export($value instanceof Predis\Response\Status ? (string) $value : $value, true)), "\n";
}

[, $host, $port] = $argv;
$r = new Predis\Client(['host' => $host, 'port' => (int) $port], ['prefix' => 'shop:']);
$one = new Predis\Client(['host' => $host, 'port' => (int) $port, 'database' => 1]);
show('flush', $r->flushall());
show('set and get', [(string) $r->set('k', 'value'), $r->get('k'), $r->get('none')]);
show('set options', [(string) $r->set('o', 1, 'EX', 100, 'NX'), $r->set('o', 2, 'EX', 100, 'NX'), $r->ttl('o') > 98]);
show('setex', [(string) $r->setex('t', 50, 2), $r->ttl('t') > 48, $r->expire('t', 100), $r->persist('t'), $r->ttl('t')]);
show('mset and mget', [(string) $r->mset(['m1' => 1, 'm2' => 'two']), $r->mget(['m1', 'none', 'm2'])]);
show('counts', [$r->incr('c'), $r->incrby('c', 10), $r->decr('c'), $r->incrbyfloat('c', 0.5)]);
show('delete', [$r->del(['m1', 'none']), $r->exists('m1'), $r->exists('m2')]);
show('pipeline', $r->pipeline(function ($pipe) {
    foreach (range(1, 50) as $number) {
        $pipe->incrby('sum', $number);
    }
}));
show('transaction', array_map('strval', $r->transaction(fn($tx) => $tx->set('tx', 1)->incr('tx')->get('tx'))));
$met = [];
foreach (range(1, 200) as $number) {
    $r->set("page:$number", $number);
}
foreach (new Predis\Collection\Iterator\Keyspace($r, 'shop:page:*') as $key) {
    $met[$key] = true;
}
show('scan', count($met));
show('script', [$r->eval("return redis.call('exists',KEYS[1])<1 and redis.call('setex',KEYS[1],ARGV[2],ARGV[1])", 1, 'added', 'x', 100) == 'OK', $r->get('added')]);
try {
    $r->incr('k');
} catch (ServerException $e) {
    show('count of text', $e->getMessage());
}
show('databases', [(string) $one->set('k', 'of 1'), $r->get('k'), (string) $r->flushdb(), $r->get('k'), $one->get('k')]);
