<?php
/*
 * OPT_BUFFER_WRITES, which ends in many ways: php memcached_buffers.php SERVER END. Each call with its result and code, a line each, and
 * what another client then sees. The test runs it with pecl/memcached and with ours, and compares the lines.
 */
[, $server, $end] = $argv;

function client(): Memcached
{
    $m = new Memcached;
    $m->addServer($GLOBALS['server'], 0);
    return $m;
}

function tell(string $label, Memcached $m, mixed $result): void
{
    echo "$label: ", json_encode($result), ' ', $m->getResultMessage(), "\n";
}

$other = client();
$other->flush();
$other->setMulti(['exists' => 1, 'n' => 5, 'gone' => 1]);
$m = client();
tell('on', $m, $m->setOption(Memcached::OPT_BUFFER_WRITES, true));
for ($i = 0; $i < 10; $i++) {
    tell("set $i", $m, $m->set("k$i", $i));
}
tell('again', $m, $m->set('k3', 33));
tell('delete', $m, $m->delete('gone'));
tell('deleteMulti', $m, $m->deleteMulti(['never', 'gone']));
tell('not yet', $other, $other->getMulti(['k0', 'gone']));
match ($end) {
    'unset', 'exit' => null,
    'add' => [tell('add', $m, $m->add('exists', 2)), tell('add', $m, $m->add('new', 2))],
    'cas' => tell('cas', $m, $m->cas(1, 'exists', 2)),
    'replace' => [tell('replace', $m, $m->replace('missing', 2)), tell('replace', $m, $m->replace('exists', 2))],
    'touch' => [tell('touch', $m, $m->touch('missing', 9)), tell('touch', $m, $m->touch('exists', 9))],
    'count' => [tell('increment', $m, $m->increment('n')), tell('decrement', $m, $m->decrement('missing'))],
    'append' => [$m->setOption(Memcached::OPT_COMPRESSION, false), tell('append', $m, $m->append('missing', 'x'))],
    'get' => tell('get', $m, $m->get('k3')),
    'setMulti' => [tell('setMulti', $m, $m->setMulti(['s1' => 1, 's2' => 2])), tell('not yet', $other, $other->get('s1'))],
    'quit' => $m->quit(),
    'reset' => $m->resetServerList(),
    'off' => $m->setOption(Memcached::OPT_BUFFER_WRITES, false),
    'binary' => $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true),
    'flushBuffers' => $m->flushBuffers(),
};
if ($end === 'exit') {
    exit;
}
unset($m);
/* The server has it, and reads it when it comes to this connection. */
for ($tries = 0; $other->get('k9') === false && $tries < 1000; $tries++) {
    usleep(10000);
}
$seen = $other->getMulti(['exists', 'n', 'gone', 'new', 'k0', 'k3', 'k9', 's1', 's2']);
ksort($seen);
tell('seen', $other, $seen);
