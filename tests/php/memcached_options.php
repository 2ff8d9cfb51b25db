<?php
/*
 * Options, keys, callbacks and the rest of the class Memcached that has nothing to do with a single value, a line each call:
 * php memcached_options.php SERVER [BINARY]. As memcached_calls.php, the test compares the lines of pecl/memcached and ours.
 */
set_error_handler(function (int $level, string $text): bool {
    echo "  [$level] $text\n";
    return true;
});

function text(mixed $value): string
{
    return preg_replace('/\s+/', ' ', var_export($value, true));
}

/** Does one call and prints what came of it. */
function tell(string $label, Memcached $m, callable $call): mixed
{
    $result = null;
    try {
        $result = $call($m);
        $said = is_object($result) ? get_class($result) : text($result);
    } catch (Throwable $e) {
        $said = get_class($e) . ': ' . $e->getMessage();
    }
    try {
        echo "$label: $said code=", $m->getResultCode(), ' ', $m->getResultMessage(), "\n";
    } catch (Throwable $e) {
        echo "$label: $said ", $e->getMessage(), "\n";
    }
    return $result;
}

function client(string ...$arguments): Memcached
{
    global $server, $binary;
    $m = new Memcached(...$arguments);
    if ($m->isPristine()) {
        $m->addServer($server, 0);
    }
    if ($binary) {
        $m->setOption(Memcached::OPT_BINARY_PROTOCOL, true);
    }
    $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
    return $m;
}

[, $server, $binary] = $argv;
$m = client();
$m->flush();
/* Not compared: what begins or ends connections, what the original asks the kernel for, what came with 3.3. */
const OTHERS = ['OPT_BINARY_PROTOCOL', 'OPT_USE_UDP', 'OPT_SOCKET_SEND_SIZE', 'OPT_SOCKET_RECV_SIZE', 'OPT_COMPRESSION_LEVEL', 'OPT_ITEM_SIZE_LIMIT'];
/* The original takes numbers here that no constant has, and its library lacks a hash. */
const VALUES = ['OPT_HASH' => [0, 1, 4, 6, 8, 100], 'OPT_LIBKETAMA_HASH' => [0, 1, 4, 6, 8, 100], 'OPT_DISTRIBUTION' => [0, 1, 6, -1, 100, true, null]];
$constants = (new ReflectionClass('Memcached'))->getConstants();

echo "-- each option: its default, and what it says to values good and bad\n";
foreach ($constants as $name => $option) {
    if (!str_starts_with($name, 'OPT_') || in_array($name, OTHERS)) {
        continue;
    }
    $fresh = client();
    tell("$name default", $fresh, fn($m) => $m->getOption($option));
    foreach (VALUES[$name] ?? [1, 0, 2, 7, -1, 100, 70000, '3', 'text', true, null, 1.9] as $value) {
        $fresh = client();
        tell("$name = " . text($value), $fresh, fn($m) => $m->setOption($option, $value));
        tell("$name is", $fresh, fn($m) => $m->getOption($option));
    }
}
tell('an unknown option', $m, fn($m) => $m->setOption(12345, 1));
tell('an unknown option below zero', $m, fn($m) => $m->setOption(-12345, 1));
tell('several', $m, fn($m) => $m->setOptions([Memcached::OPT_TCP_NODELAY => true, Memcached::OPT_COMPRESSION => false]));
tell('several, one of them bad', $m, fn($m) => $m->setOptions([Memcached::OPT_SERIALIZER => 99, Memcached::OPT_COMPRESSION => true]));
tell('several, one of them a word', $m, fn($m) => $m->setOptions(['compression' => true, Memcached::OPT_COMPRESSION => true]));
tell('none', $m, fn($m) => $m->setOptions([]));
tell('compression is', $m, fn($m) => $m->getOption(Memcached::OPT_COMPRESSION));

echo "-- ketama and its kin\n";
$fresh = client();
tell('ketama', $fresh, fn($m) => $m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true));
foreach (['OPT_LIBKETAMA_COMPATIBLE', 'OPT_DISTRIBUTION', 'OPT_HASH', 'OPT_LIBKETAMA_HASH'] as $name) {
    tell($name, $fresh, fn($m) => $m->getOption($constants[$name]));
}
tell('modula', $fresh, fn($m) => $m->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_MODULA));
tell('ketama now', $fresh, fn($m) => $m->getOption(Memcached::OPT_LIBKETAMA_COMPATIBLE));
tell('ketama off', $fresh, fn($m) => $m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, false));
foreach (['OPT_LIBKETAMA_COMPATIBLE', 'OPT_DISTRIBUTION', 'OPT_HASH', 'OPT_LIBKETAMA_HASH'] as $name) {
    tell($name, $fresh, fn($m) => $m->getOption($constants[$name]));
}

echo "-- keys\n";
$keys = ['plain', '', 'a b', "a\tb", "a\nb", "a\0b", "\x7f", str_repeat('k', 250), str_repeat('k', 251)];
foreach ($keys as $key) {
    $label = json_encode(strlen($key) > 20 ? strlen($key) . ' bytes' : bin2hex($key));
    foreach ([false, true] as $verify) {
        $fresh = client();
        $fresh->setOption(Memcached::OPT_VERIFY_KEY, $verify);
        $verified = $verify ? ', verified' : '';
        tell("checkKey $label$verified", $fresh, fn($m) => $m->checkKey($key));
        tell("set $label$verified", $fresh, fn($m) => $m->set($key, 'v'));
        tell("get $label$verified", $fresh, fn($m) => $m->get($key));
        tell("delete $label$verified", $fresh, fn($m) => $m->delete($key));
        tell("increment $label$verified", $fresh, fn($m) => $m->increment($key));
        tell("touch $label$verified", $fresh, fn($m) => $m->touch($key, 5));
        tell("getServerByKey $label$verified", $fresh, fn($m) => is_array($m->getServerByKey($key)));
        tell("setByKey $label$verified", $fresh, fn($m) => $m->setByKey($key, 'by', 1));
    }
}
tell('getMulti of nothing', $m, fn($m) => $m->getMulti([]));
tell('getMulti of other types', $m, fn($m) => $m->getMulti([1, 2.5, true, null]));
tell('getMulti of an array', $m, fn($m) => $m->getMulti([['x']]));
tell('getDelayed of nothing', $m, fn($m) => $m->getDelayed([]));
tell('deleteMulti of nothing', $m, fn($m) => $m->deleteMulti([]));
tell('deleteMulti of other types', $m, fn($m) => $m->deleteMulti([1, true]));
tell('setMulti of nothing', $m, fn($m) => $m->setMulti([]));
$long = str_repeat('k', 251);
$large = str_repeat('noise', 500000);
foreach ([['good', 'fine'], [''], [$long], ['good', ''], ['', 'good'], [$long, 'good'], ['good', $long], ['', $long]] as $number => $some) {
    $fresh = client();
    tell("setMulti of keys $number", $fresh, fn($m) => $m->setMulti(array_fill_keys($some, 'v')));
    tell('last error', $fresh, fn($m) => $m->getLastErrorCode());
    tell("setMultiByKey of keys $number", $fresh, fn($m) => $m->setMultiByKey('group', array_fill_keys($some, 'v')));
    tell("getMulti of keys $number", $fresh, fn($m) => $m->getMulti($some));
    tell("getMulti of keys $number in order", $fresh, fn($m) => $m->getMulti($some, Memcached::GET_PRESERVE_ORDER));
    tell("getDelayed of keys $number", $fresh, fn($m) => [$m->getDelayed($some), array_column($m->fetchAll() ?: [], 'value')]);
    tell("deleteMulti of keys $number", $fresh, fn($m) => $m->deleteMulti($some));
    tell("deleteMulti of keys $number again", $fresh, fn($m) => $m->deleteMulti($some));
    tell("deleteMultiByKey of keys $number", $fresh, fn($m) => $m->deleteMultiByKey('group', $some));
}
$fresh = client();
$fresh->setOption(Memcached::OPT_COMPRESSION, false);
tell('too large, first of two', $fresh, fn($m) => $m->setMulti(['large' => $large, 'small' => 1]));
tell('too large, last of two', $fresh, fn($m) => $m->setMulti(['small' => 2, 'large' => $large]));
tell('is', $fresh, fn($m) => $m->getMulti(['small', 'large']));
tell('too large', $fresh, fn($m) => $m->set('large', $large));
tell('last error', $fresh, fn($m) => [$m->getLastErrorCode(), $m->getLastErrorMessage()]);
$fresh->set('kept', 'old');
tell('cas, too large', $fresh, fn($m) => $m->cas($m->get('kept', null, Memcached::GET_EXTENDED)['cas'], 'kept', $large));
tell('is', $fresh, fn($m) => $m->get('kept'));
foreach ([5, -1, 0] as $time) {
    tell("delete with time $time", $fresh, fn($m) => $m->delete('kept', $time));
    tell("deleteMulti with time $time", $fresh, fn($m) => $m->deleteMulti(['kept', 'small'], $time));
    tell('last error', $fresh, fn($m) => $m->getLastErrorCode());
}

echo "-- prefix\n";
$fresh = client();
// In the binary protocol a line end is refused by ours alone.
foreach (['p:', 'p p', ...($binary ? [] : ["p\n"]), str_repeat('p', 127), 'é', '', 5, null] as $prefix) {
    tell('prefix ' . substr(text($prefix), 0, 20), $fresh, fn($m) => $m->setOption(Memcached::OPT_PREFIX_KEY, $prefix));
    tell('is', $fresh, fn($m) => strlen($m->getOption(Memcached::OPT_PREFIX_KEY)));
}
$fresh->setOption(Memcached::OPT_PREFIX_KEY, 'prefix:');
tell('243 bytes behind a prefix', $fresh, fn($m) => $m->set(str_repeat('k', 243), 1));
$fresh->set('one', 1);
tell('multi', $fresh, fn($m) => $m->getMulti(['one', 'two']));
$fresh->getDelayed(['one']);
tell('delayed', $fresh, fn($m) => array_column($m->fetchAll(), 'key'));
tell('deleteMulti', $fresh, fn($m) => $m->deleteMulti(['one', 'two']));

echo "-- user flags\n";
foreach ([0, 1, 65535, 65536, -1, -5] as $flags) {
    $fresh = client();
    tell("user flags $flags", $fresh, fn($m) => $m->setOption(Memcached::OPT_USER_FLAGS, $flags));
    tell('set', $fresh, fn($m) => $m->set('flagged', ['x']));
    tell('flags', $fresh, fn($m) => $m->get('flagged', null, Memcached::GET_EXTENDED)['flags']);
    tell('multi', $fresh, fn($m) => array_diff_key($m->getMulti(['flagged'], Memcached::GET_EXTENDED)['flagged'], ['cas' => 1]));
}

echo "-- get flags\n";
$m = client();
$m->setMulti(['g1' => 1, 'g2' => 'two']);
tell('preserve order', $m, fn($m) => $m->getMulti(['g2', 'missing', 'g1', 'g2'], Memcached::GET_PRESERVE_ORDER));
tell('both', $m, fn($m) => array_map(fn($e) => $e ? array_diff_key($e, ['cas' => 1]) : $e, $m->getMulti(['g2', 'missing'], 3)));
tell('unknown flags', $m, fn($m) => $m->get('g1', null, 64));
tell('extended miss', $m, fn($m) => $m->get('missing', null, Memcached::GET_EXTENDED));
tell('by key', $m, fn($m) => $m->getByKey('other', 'g1'));
tell('multi by key', $m, fn($m) => $m->getMultiByKey('other', ['g1', 'g2'], Memcached::GET_PRESERVE_ORDER));
tell('empty server key', $m, fn($m) => $m->getByKey('', 'g1'));

echo "-- cas\n";
$token = $m->get('g1', null, Memcached::GET_EXTENDED)['cas'];
tell('cas by a number', $m, fn($m) => $m->cas($token, 'g1', 5));
tell('again', $m, fn($m) => $m->cas($token, 'g1', 6));
tell('by a text', $m, fn($m) => $m->cas((string) $m->get('g1', null, 2)['cas'], 'g1', 7));
tell('by a float', $m, fn($m) => $m->cas((float) $m->get('g1', null, 2)['cas'], 'g1', 8));
tell('by key', $m, fn($m) => $m->casByKey($m->get('g1', null, 2)['cas'], 'other', 'g1', 10));
tell('bad key', $m, fn($m) => $m->cas(1, "a\nb", 10));
if ($binary) {   // in text the original asks for something that no server understands, and loses its place
    tell('no version', $m, fn($m) => $m->cas(0, 'g1', 11));
    tell('is', $m, fn($m) => $m->get('g1'));
    tell('no version of nothing', $m, fn($m) => $m->cas(0, 'never there', 12));
    tell('is', $m, fn($m) => $m->get('never there'));
}

echo "-- counters\n";
/* Nothing from 2^63 on: memcached 1.6.18 then refuses to count or not, by whether a '-' lies somewhere behind the item. */
foreach (['5', ' 7', '7 ', '9223372036854775807', '-1', '1.5', '', 'x'] as $text) {
    $m->set('c', $text);
    tell('increment ' . text($text), $m, fn($m) => $m->increment('c'));
    tell('is', $m, fn($m) => $m->get('c'));
}
$m->set('c', 10);
tell('by zero', $m, fn($m) => $m->increment('c', 0));
tell('below zero', $m, fn($m) => $m->decrement('c', 11));
tell('is', $m, fn($m) => $m->get('c'));
tell('huge', $m, fn($m) => $m->increment('c', PHP_INT_MAX));
tell('by key', $m, fn($m) => $m->incrementByKey('other', 'c', 1));
tell('by key, negative', $m, fn($m) => $m->decrementByKey('other', 'c', -1));
tell('initial', $m, fn($m) => $m->increment('made', 1, 5, 100));
tell('initial again', $m, fn($m) => $m->decrement('made', 1, 5, 100));
tell('is', $m, fn($m) => $m->get('made'));

echo "-- append, prepend\n";
tell('compressed', $m, fn($m) => $m->prepend('g2', 'x'));
$m->setOption(Memcached::OPT_COMPRESSION, false);
tell('missing', $m, fn($m) => $m->prepend('missing', 'x'));
tell('to a number', $m, fn($m) => $m->append('g1', '5'));
tell('is', $m, fn($m) => $m->get('g1'));
tell('by key', $m, fn($m) => $m->appendByKey('other', 'g2', '!'));
tell('is', $m, fn($m) => $m->get('g2'));
$m->setOption(Memcached::OPT_COMPRESSION, true);

echo "-- callbacks\n";
class Fail extends Exception {}
tell('one that throws', $m, fn($m) => $m->get('cb1', function () { throw new Fail('thrown'); }));
tell('it stored nothing', $m, fn($m) => $m->get('cb1'));
tell('one that answers nothing', $m, fn($m) => $m->get('cb1', function ($m, $key, &$value) { $value = 1; }));
tell('one that answers 1', $m, fn($m) => $m->get('cb1', function ($m, $key, &$value) { $value = ['x']; return 1; }));
tell('it is stored', $m, fn($m) => $m->get('cb1'));
tell('not called for a hit', $m, fn($m) => $m->get('cb1', function () { echo "called\n"; }));
tell('one that uses the object and refuses', $m, fn($m) => $m->get('cb2', function ($m) { $m->get('cb1'); return false; }));
tell('one that uses the object', $m, fn($m) => $m->get('cb2', function ($m, $key, &$value) { $value = $m->get('cb1'); return true; }));
tell('its expiration', $m, fn($m) => $m->get('cb3', function ($m, $key, &$value, &$expiration) { $value = 1; $expiration = -1; return true; }));
tell('is over at once', $m, fn($m) => $m->get('cb3'));
tell('bad key', $m, fn($m) => $m->get('a b' . "\n", function () { echo "called\n"; }));
tell('by key', $m, fn($m) => $m->getByKey('other', 'cb4', function ($m, $key, &$value) { $value = $key; return true; }));
tell('extended', $m, fn($m) => $m->get('cb5', function ($m, $key, &$value) { $value = ['value' => 1, 'cas' => 50]; return true; }, 2));
tell('its value', $m, fn($m) => $m->get('cb5'));
tell('extended without a value', $m, fn($m) => $m->get('cb6', function ($m, $key, &$value) { $value = 5; return true; }, 2));
tell('not a callable', $m, fn($m) => $m->get('cb7', 'no such function'));
tell('too large', $m, fn($m) => $m->get('cb8', function ($m, $key, &$value) { $value = random_bytes(2 << 20); return true; }));
tell('delayed, throws', $m, fn($m) => $m->getDelayed(['g1', 'g2'], false, function () { throw new Fail('thrown'); }));
tell('then', $m, fn($m) => $m->get('g2'));
tell('delayed, nothing found', $m, fn($m) => $m->getDelayed(['missing'], false, function () { echo "called\n"; }));
tell('delayed with cas', $m, fn($m) => $m->getDelayed(['g2'], true, function ($m, $item) { echo text(array_keys($item)), ' ', gettype($item['cas']), "\n"; }));
tell('fetchAll of nothing', $m, fn($m) => $m->fetchAll());
tell('delayed, nothing found', $m, fn($m) => $m->getDelayed(['missing']));
tell('fetchAll', $m, fn($m) => $m->fetchAll());
tell('fetch', $m, fn($m) => $m->fetch());

echo "-- values that are not there to be stored\n";
tell('a closure', $m, fn($m) => $m->set('bad', function () {}));
tell('a resource', $m, fn($m) => $m->set('resource', STDIN));
tell('is', $m, fn($m) => $m->get('resource'));
class Asleep { public function __serialize(): array { throw new Fail('asleep'); } }
class Awake { public $x = 1; public function __wakeup() { throw new Fail('awake'); } }
tell('__serialize throws', $m, fn($m) => $m->set('asleep', new Asleep));
tell('__wakeup throws', $m, fn($m) => $m->set('awake', new Awake));
tell('then', $m, fn($m) => $m->get('awake'));
tell('multi', $m, fn($m) => $m->getMulti(['awake', 'g2']));
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON);
tell('json', $m, fn($m) => $m->set('json', ['a' => 1.0, 'b' => null, 'c' => ['d' => []]]));
tell('object', $m, fn($m) => $m->get('json'));
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_JSON_ARRAY);
tell('array', $m, fn($m) => $m->get('json'));
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_IGBINARY);
tell('igbinary', $m, fn($m) => $m->set('igbinary', ['a' => 1.0, 'o' => new ArrayObject([1])]));
tell('is', $m, fn($m) => $m->get('igbinary'));
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_MSGPACK);
tell('msgpack', $m, fn($m) => $m->set('msgpack', ['a' => 1.0, 'b' => [true]]));
tell('is', $m, fn($m) => $m->get('msgpack'));
$m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);

echo "-- noreply and buffers\n";
if (!$binary) {   // there the original now and then loses a quiet write
    $fresh = client();
    $fresh->setOption(Memcached::OPT_NOREPLY, true);
    tell('set', $fresh, fn($m) => $m->set('quiet', 1));
    tell('add', $fresh, fn($m) => $m->add('quiet', 2));
    tell('delete', $fresh, fn($m) => $m->delete('missing'));
    tell('get', $fresh, fn($m) => $m->get('quiet'));
    tell('setMulti', $fresh, fn($m) => $m->setMulti(['q1' => 1, 'q2' => 2]));
    tell('deleteMulti', $fresh, fn($m) => $m->deleteMulti(['q1', 'missing']));
    tell('getMulti', $fresh, fn($m) => $m->getMulti(['q1', 'q2']));
}
$fresh = client();
tell('buffers', $fresh, fn($m) => $m->setOption(Memcached::OPT_BUFFER_WRITES, true));
tell('set', $fresh, fn($m) => $m->set('buffered', 1));
tell('delete', $fresh, fn($m) => $m->delete('q2'));
tell('setMulti', $fresh, fn($m) => $m->setMulti(['b1' => 1, 'b2' => 2]));
tell('flush buffers', $fresh, fn($m) => $m->flushBuffers());
tell('get', $fresh, fn($m) => $m->get('buffered'));
tell('flush without', $m, fn($m) => $m->flushBuffers());

echo "-- statistics\n";
foreach (['settings', 'items', 'nonsense', 'reset', 'maps'] as $subject) {
    $fresh = client();
    tell("stats $subject", $fresh, fn($m) => ($all = $m->getStats($subject)) === false ? false : array_map(fn($one) => is_array($one), array_values($all)));
    tell('then', $fresh, fn($m) => $m->get('g1'));
}
foreach (['getStats', 'getVersion', 'flush'] as $method) {
    $fresh = client();
    $fresh->addServer('127.0.0.1', 1);
    tell("$method, one is dead", $fresh, fn($m) => [is_array($m->$method()), $m->getLastErrorCode() !== 0, $m->getLastDisconnectedServer()]);
}

echo "-- servers\n";
$fresh = new Memcached();
tell('none: get', $fresh, fn($m) => $m->get('x'));
tell('none: set', $fresh, fn($m) => $m->set('x', 1));
tell('none: getMulti', $fresh, fn($m) => $m->getMulti(['x']));
tell('none: setMulti', $fresh, fn($m) => $m->setMulti(['x' => 1]));
tell('none: deleteMulti', $fresh, fn($m) => $m->deleteMulti(['x']));
tell('none: getDelayed', $fresh, fn($m) => $m->getDelayed(['x']));
tell('none: increment', $fresh, fn($m) => $m->increment('x'));
tell('none: touch', $fresh, fn($m) => $m->touch('x'));
tell('none: flush', $fresh, fn($m) => $m->flush());
tell('none: getStats', $fresh, fn($m) => $m->getStats());
tell('none: getVersion', $fresh, fn($m) => $m->getVersion());
tell('none: getAllKeys', $fresh, fn($m) => $m->getAllKeys());
tell('none: quit', $fresh, fn($m) => $m->quit());
tell('none: getServerByKey', $fresh, fn($m) => $m->getServerByKey('x'));
tell('none: list', $fresh, fn($m) => $m->getServerList());
tell('none: size of what is sent', $fresh, fn($m) => $m->getOption(Memcached::OPT_SOCKET_SEND_SIZE));
tell('none: size of what is received', $fresh, fn($m) => $m->getOption(Memcached::OPT_SOCKET_RECV_SIZE));
tell('add', $fresh, fn($m) => $m->addServer('127.0.0.1', 11));
tell('add with a weight', $fresh, fn($m) => $m->addServer('localhost', 12, 3));
tell('add the same', $fresh, fn($m) => $m->addServer('127.0.0.1', 11));
tell('no name', $fresh, fn($m) => $m->addServer('', 11));
tell('a list', $fresh, fn($m) => $m->addServers([['127.0.0.1', 13], ['127.0.0.1', '14', 5], 'word']));
tell('sockets in a list', $fresh, fn($m) => $m->addServers([['/tmp/listed', 0], ['/tmp/listed', 7, 2], ['127.0.0.1', 0]]));
tell('a socket by itself', $fresh, fn($m) => $m->addServer('/tmp/single', 0));
tell('words among them', $fresh, fn($m) => $m->addServers([['127.0.0.1', 17], 'word', ['alone'], 3, []]));
tell('an empty list', $fresh, fn($m) => $m->addServers([]));
tell('named parts', $fresh, fn($m) => $m->addServers([['host' => '127.0.0.1', 'port' => 15]]));
tell('list', $fresh, fn($m) => $m->getServerList());
tell('last disconnected', $fresh, fn($m) => $m->getLastDisconnectedServer());
tell('reset', $fresh, fn($m) => $m->resetServerList());
tell('list', $fresh, fn($m) => $m->getServerList());

echo "-- life\n";
$calls = 0;
$once = function ($m, $id) use (&$calls) { $calls++; echo text($id), ' ', get_class($m), "\n"; };
foreach ([1, 2] as $number) {
    $shared = new Memcached('shared', $once);
    tell("persistent $number", $shared, fn($m) => [$m->isPersistent(), $m->isPristine(), count($m->getServerList()), $calls]);
    $shared->addServer('127.0.0.1', 16);
    $shared->setOption(Memcached::OPT_PREFIX_KEY, "shared$number:");
    $shared->setOption(Memcached::OPT_USER_FLAGS, $number);
}
tell('shared options', $shared, fn($m) => [(new Memcached('shared'))->getOption(Memcached::OPT_PREFIX_KEY), (new Memcached('shared'))->getOption(Memcached::OPT_USER_FLAGS)]);
tell('another id', $shared, fn($m) => (new Memcached('another'))->getOption(Memcached::OPT_PREFIX_KEY));
tell('not persistent', $m, fn($m) => [$m->isPersistent(), $m->isPristine()]);
tell('no id, a callback', $m, fn($m) => get_class(new Memcached(null, $once)));
tell('an empty id', $m, fn($m) => (new Memcached('', $once))->isPersistent());
tell('a callback that throws', $m, fn($m) => new Memcached(null, function () { throw new Fail('thrown'); }));
tell('a callback that is none', $m, fn($m) => new Memcached(null, 'no such function'));
tell('clone', $m, fn($m) => clone $m);
class Sub extends Memcached { public $own = 5; public function __construct() {} }
tell('not constructed', $m, fn($m) => (new Sub)->get('x'));
tell('not constructed: code', $m, fn($m) => (new Sub)->getResultCode());
tell('not constructed: servers', $m, fn($m) => (new Sub)->getServerList());
class Good extends Memcached { public function get($key, $callback = null, $flags = 0): mixed { return 'overridden'; } }
tell('subclass', $m, fn($m) => [(new Good)->get('x'), (new Good)->isPersistent(), (new Good) instanceof Memcached]);
tell('var_dump', $m, function () { var_dump(new Sub, new Memcached); });
tell('isset', $m, fn($m) => isset($m->anything));
tell('json', $m, fn($m) => json_encode($m));
