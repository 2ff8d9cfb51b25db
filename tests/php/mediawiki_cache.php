<?php
// MediaWiki's unmodified object caches, from Debian's package of its stand-alone classes. Words: apcu, persistent or binary; HOST PORT.

namespace Wikimedia {
    // The parts of other projects that MediaWiki's caches need, and that Debian ships with the whole MediaWiki only.
    final class ScopedCallback
    {
        public function __construct(private $work)
        {
        }

        public static function consume(?self &$scope): void
        {
            $scope = null;
        }

        public function __destruct()
        {
            ($this->work)();
        }
    }

    final class WaitConditionLoop
    {
        public const CONDITION_REACHED = 1, CONDITION_CONTINUE = 0, CONDITION_FAILED = false, CONDITION_TIMED_OUT = -1, CONDITION_ABORTED = -2;

        public function __construct(private $condition, private float $seconds)
        {
        }

        public function invoke(): mixed
        {
            $end = microtime(true) + $this->seconds;
            do {
                $state = ($this->condition)();
            } while ($state === self::CONDITION_CONTINUE && microtime(true) < $end && usleep(1000) === null);
            return $state === self::CONDITION_CONTINUE ? self::CONDITION_TIMED_OUT : $state;
        }
    }
}

namespace Psr\Log {
    // The interface of version 1, which MediaWiki uses; Debian 13's declares void.
    interface LoggerAwareInterface
    {
        public function setLogger(LoggerInterface $logger);
    }
}

namespace Liuggio\StatsdClient\Factory {
    interface StatsdDataFactoryInterface
    {
    }
}

namespace {
    const MEDIAWIKI = true;
    const CLASSES = '/usr/share/mediawiki/includes/libs/';
    require_once 'Psr/Log/autoload.php';

    spl_autoload_register(function (string $name): void {
        $file = basename(str_replace('\\', '/', $name)) . '.php';
        foreach (glob(CLASSES . "{objectcache,stats,Stats,telemetry}/{,*/}$file", GLOB_BRACE) as $found) {
            require_once $found;
        }
    });

    /** MediaWiki's warnings are lines of the output. */
    final class Complaints extends Psr\Log\AbstractLogger
    {
        public function log($level, $message, array $context = []): void
        {
            if ($level !== 'debug') {
                show("log $level", strtr($message, ['{memcached-key}' => $context['memcached-key'] ?? '', '{memcached-server}' => 'S']));
            }
        }
    }

    function show(string $what, mixed $value): void
    {
        $text = serialize($value);
        echo $what, ': ', strlen($text) < 300 ? $text : md5($text), "\n";
    }

    function noise(int $bytes): string
    {
        mt_srand(7);
        return substr(implode(array_map(fn() => pack('V', mt_rand()), range(0, $bytes / 4))), 0, $bytes);
    }

    [, $kind, $host, $port] = $argv + [2 => '', 3 => 0];

    function cache(): BagOStuff
    {
        global $kind, $host, $port;
        $settings = ['keyspace' => 'wiki', 'logger' => new Complaints, 'asyncHandler' => null];
        if ($kind === 'apcu') {
            return new APCUBagOStuff($settings);
        }
        $servers = [(int) $port > 0 ? "$host:$port" : $host];
        return new MemcachedPeclBagOStuff(
            $settings + ['servers' => $servers, 'persistent' => $kind === 'persistent', 'use_binary_protocol' => $kind === 'binary']
        );
    }

    if ($kind !== 'apcu') {
        $empty = new Memcached();
        $empty->addServer($host, (int) $port);
        $empty->flush();
    }
    $cache = cache();
    $key = $cache->makeKey(...);
    $kinds = ['text' => 'hello', 'int' => 42, 'minus' => -3, 'float' => 0.25, 'yes' => true, 'null' => null, 'zero' => 0, 'empty' => '',
        'list' => ['a' => [1, null, false]], 'object' => new ArrayObject([1]), 'long' => str_repeat('MediaWiki ', 5000), 'noise' => noise(300000)];
    foreach ($kinds as $name => $value) {
        show($name, [$cache->set($key('is', $name), $value, 600), $cache->get($key('is', $name)), $cache->getLastError()]);
    }
    show('false', [$cache->set($key('false'), false), $cache->get($key('false'))]);
    show('miss', [$cache->get($key('nobody')), $cache->getLastError()]);
    show('add', [$cache->add($key('added'), 1, 600), $cache->add($key('added'), 2, 600), $cache->get($key('added'))]);
    show('delete', [$cache->delete($key('added')), $cache->delete($key('added')), $cache->get($key('added'))]);
    show('many', $cache->getMulti([$key('is', 'text'), $key('nobody'), $key('is', 'list'), $key('is', 'minus')]));
    show('set many', [$cache->setMulti([$key('m', 1) => 'one', $key('m', 2) => [2]], 600), $cache->getMulti([$key('m', 1), $key('m', 2), $key('m', 3)])]);
    $quiet = BagOStuff::WRITE_BACKGROUND; // sets OPT_NOREPLY around the call
    show('set many, quietly', [$cache->setMulti([$key('q', 1) => 'one', $key('q', 2) => [2]], 600, $quiet), $cache->getMulti([$key('q', 1), $key('q', 2)])]);
    show('set and delete, quietly', [$cache->set($key('q'), 1, 600, $quiet), $cache->get($key('q')), $cache->delete($key('q'), $quiet), $cache->get($key('q'))]);
    show('touch many', [$cache->changeTTLMulti([$key('m', 1), $key('m', 2), $key('m', 3)], 900), $cache->changeTTLMulti([$key('m', 1), $key('m', 2)], time() + 500)]);
    show('delete many', [$cache->deleteMulti([$key('m', 1), $key('m', 9)]), $cache->getMulti([$key('m', 1), $key('m', 2)])]);
    $count = $key('count');
    // Debian 13's MediaWiki counts by incrWithInit alone.
    !method_exists($cache, 'incr') || show('count', [$cache->incr($count), $cache->set($count, 5), $cache->incr($count), $cache->incr($count, 10), $cache->decr($count, 4), $cache->get($count)]);
    !method_exists($cache, 'decr') || show('below zero', [$cache->decr($count, 100), $cache->get($count)]);
    show('count what is not there', [$cache->incrWithInit($key('i'), 600, 1, 10), $cache->incrWithInit($key('i'), 600, 5), $cache->get($key('i'))]);
    show('the same, quietly', [$cache->incrWithInit($key('j'), 600, 1, 10, $quiet), $cache->incrWithInit($key('j'), 600, 5, null, $quiet), $cache->get($key('j'))]);
    $append = fn(int $number) => fn($cache, $key, $old) => [...($old ?: []), $number];
    show('merge', [$cache->merge($key('merged'), $append(1), 600), $cache->merge($key('merged'), $append(2), 600), $cache->get($key('merged'))]);
    $tries = 0;
    show('merge in a race', [$cache->merge($key('merged'), function ($cache, $key, $old) use (&$tries) {
        if ($tries++ === 0) {
            cache()->set($key, ['another']);
        }
        return [...$old, 3];
    }, 600), $cache->get($key('merged')), $tries]);
    show('touch', [$cache->changeTTL($key('is', 'text'), 100), $cache->changeTTL($key('nobody'), 100), $cache->changeTTL($key('is', 'int'), -1), $cache->get($key('is', 'int'))]);
    show('made once', [$cache->getWithSetCallback($key('made'), 600, fn() => 'once'), $cache->getWithSetCallback($key('made'), 600, fn() => 'twice')]);
    show('lock', [$cache->lock($key('door'), 0, 600), cache()->lock($key('door'), 0, 600), $cache->unlock($key('door')), cache()->lock($key('door'), 0, 600)]);
    $room = $key('room');
    show('lock in a lock', [$cache->lock($room, 0, 600, 'me'), $cache->lock($room, 0, 600, 'me'), $cache->unlock($room), $cache->unlock($room), $cache->unlock($room)]);
    show('a month and more', [$cache->set($key('far'), 1, 40 * 86400), $cache->get($key('far')), $cache->set($key('past'), 1, time() - 10), $cache->get($key('past'))]);
    show('in parts', [$cache->set($key('large'), $large = str_repeat($kinds['noise'], 9), 600, BagOStuff::WRITE_ALLOW_SEGMENTS), $cache->get($key('large')) === $large]);
    show('without its parts', [$cache->delete($key('large'), BagOStuff::WRITE_PRUNE_SEGMENTS), $cache->get($key('large'))]);
    foreach (['with space', 'Käse', "tab\t", str_repeat('x', 300), 'a:b%c', ''] as $odd) {
        show('odd key', [$cache->set($key('odd', $odd), $odd), $cache->get($key('odd', $odd))]);
    }

    $all = new WANObjectCache(['cache' => $cache, 'logger' => new Complaints, 'secret' => 'a secret']);
    $made = 0;
    $make = function () use (&$made) {
        return 'version ' . ++$made;
    };
    $page = $all->makeKey('page', 1);
    show('page', [$all->getWithSetCallback($page, 300, $make), $all->getWithSetCallback($page, 300, $make)]);
    show('deleted page', [$all->delete($page), $all->getWithSetCallback($page, 300, $make)]);
    show('check', [$all->touchCheckKey($all->makeKey('check')), $all->getCheckKeyTime($all->makeKey('check')) > 0, $all->resetCheckKey($all->makeKey('check'))]);
    show('pages', $all->getMultiWithSetCallback($all->makeMultiKeys([1, 2, 3], fn($id) => $all->makeKey('many', $id)), 300, fn($id) => "page $id"));
    show('pages again', array_values($all->getMulti([$all->makeKey('many', 1), $all->makeKey('many', 3), $all->makeKey('many', 5)])));
    show('from another object', [cache()->get($key('is', 'text')), cache()->get($key('merged'))]);
}
