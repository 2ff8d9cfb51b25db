--TEST--
Memcached, Memcache: data that PHP's own classes refuse is damaged, and the other values are returned; exceptions of a script's code pass through
--INI--
leveret.provide=apcu,memcached,memcache
--FILE--
<?php
require __DIR__ . '/../memcached.inc';

/** PHP's own class wakes it, of nothing. */
final class Undated extends DateTime
{
    public function __serialize(): array
    {
        return [];
    }
}

/** The script's code throws, by itself, or what PHP has thrown there. */
final class Moody
{
    public function __construct(public string $how)
    {
    }

    public function __wakeup(): void
    {
        match ($this->how) {
            'throws' => throw new DomainException('mine'),
            'calls' => json_decode('{', false, 512, JSON_THROW_ON_ERROR),
            'reads' => unserialize('O:7:"Closure":0:{}'),
        };
    }
}

$damaged = ['undated' => new Undated('2020-01-01'), 'undated within' => [1, [new Undated('2020-01-01')]]];
$thrown = ['throws' => new Moody('throws'), 'calls' => new Moody('calls'), 'reads' => [new Moody('reads')]];

function come(callable $call): string
{
    try {
        return json_encode(@$call());
    } catch (Throwable $thrown) {
        return get_class($thrown) . ': ' . $thrown->getMessage();
    }
}

$told = [];
foreach ([on_arena(), on_server()] as $m) {
    $mc = new Memcache();
    $mc->addServer($m->getServerList()[0]['host'], 0);
    $m->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_PHP);
    foreach ($damaged + $thrown as $name => $value) {
        $key = str_replace(' ', '-', $name);
        $m->setMulti(['first' => 1, $key => $value, 'last' => 2]);
        $names = ['first', $key, 'last'];
        $told[$name][] = [
            'get' => come(fn () => [$m->get($key), $m->getResultCode()]),
            'getMulti' => come(fn () => [$m->getMulti($names), $m->getResultCode()]),
            'in order' => come(fn () => [array_values($m->getMulti($names, Memcached::GET_PRESERVE_ORDER)), $m->getResultCode()]),
            'fetchAll' => come(fn () => [$m->getDelayed($names), array_column($m->fetchAll(), 'value'), $m->getResultCode()]),
            'fetch' => come(fn () => [$m->getDelayed($names), $m->fetch()['value'], $m->fetch()['value'], $m->fetch(), $m->getResultCode()]),
        ];
        $mc->set($key, $value);
        $mc->set('first', 1);
        $mc->set('last', 2);
        $told[$name][count($told[$name]) - 1] += ['Memcache' => come(fn () => $mc->get($key)), 'of many' => come(fn () => $mc->get($names))];
    }
}
$sockets = [
    'a class that forbids it' => 'O:7:"Closure":0:{}', 'an interface' => 'O:8:"Iterator":0:{}', 'nothing in it' => 'O:8:"DateTime":0:{}',
    'an object of nothing' => 'O:12:"DateTimeZone":0:{}', 'a list of nothing' => 'O:11:"ArrayObject":0:{}', 'no enum' => 'E:9:"Suit:None";', 'within' => 'a:1:{i:0;O:8:"DateTime":0:{}}',
];
$server = stream_socket_client('unix://' . memcached_socket());
foreach ($sockets as $name => $data) {
    fwrite($server, "set damaged 4 0 " . strlen($data) . "\r\n$data\r\n") && fgets($server) === "STORED\r\n" || die("not stored\n");
    $m->setMulti(['first' => 1, 'last' => 2]);
    echo $name, ': ', come(fn () => [$m->getMulti(['first', 'damaged', 'last']), $m->getResultCode()]), "\n";
}
foreach ($told as $name => [$arena, $on_server]) {
    echo $name, $arena === $on_server ? '' : ' ' . json_encode($on_server), "\n";
    foreach ($arena as $call => $answer) {
        echo "  $call: $answer\n";
    }
}
spl_autoload_register(fn ($class) => throw new LogicException("no class $class"));
$m->set('unknown', 'x');
$data = 'O:8:"Vanished":0:{}';
fwrite($server, "set damaged 4 0 " . strlen($data) . "\r\n$data\r\n");
fgets($server);
echo come(fn () => $m->getMulti(['first', 'damaged'])), "\n";
?>
--EXPECT--
a class that forbids it: [{"first":1,"last":2},-1001]
an interface: [{"first":1,"last":2},-1001]
nothing in it: [{"first":1,"last":2},-1001]
an object of nothing: [{"first":1,"last":2},-1001]
a list of nothing: [{"first":1,"last":2},-1001]
no enum: [{"first":1,"last":2},-1001]
within: [{"first":1,"last":2},-1001]
undated
  get: [false,-1001]
  getMulti: [{"first":1,"last":2},-1001]
  in order: [[1,null,2],-1001]
  fetchAll: [true,[1,2],-1001]
  fetch: [true,1,2,false,-1001]
  Memcache: false
  of many: {"first":1,"last":2}
undated within
  get: [false,-1001]
  getMulti: [{"first":1,"last":2},-1001]
  in order: [[1,null,2],-1001]
  fetchAll: [true,[1,2],-1001]
  fetch: [true,1,2,false,-1001]
  Memcache: false
  of many: {"first":1,"last":2}
throws
  get: DomainException: mine
  getMulti: DomainException: mine
  in order: DomainException: mine
  fetchAll: DomainException: mine
  fetch: DomainException: mine
  Memcache: DomainException: mine
  of many: DomainException: mine
calls
  get: JsonException: Syntax error
  getMulti: JsonException: Syntax error
  in order: JsonException: Syntax error
  fetchAll: JsonException: Syntax error
  fetch: JsonException: Syntax error
  Memcache: JsonException: Syntax error
  of many: JsonException: Syntax error
reads
  get: Exception: Unserialization of 'Closure' is not allowed
  getMulti: Exception: Unserialization of 'Closure' is not allowed
  in order: Exception: Unserialization of 'Closure' is not allowed
  fetchAll: Exception: Unserialization of 'Closure' is not allowed
  fetch: Exception: Unserialization of 'Closure' is not allowed
  Memcache: Exception: Unserialization of 'Closure' is not allowed
  of many: Exception: Unserialization of 'Closure' is not allowed
LogicException: no class Vanished
