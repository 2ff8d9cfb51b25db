<?php
// Random calls of the class Redis, a line for each: SEED CALLS SOCKET. From one seed both providers make the same calls, on a server of their own each; what they print is
// compared. The output does not depend on the clock, on the server's random numbers, or on the order of sets.

[, $seed, $calls, $socket] = $argv;
mt_srand((int) $seed);
error_reporting(E_ALL);
set_error_handler(function (int $number, string $text): bool {
    if (str_starts_with($text, 'igbinary_unserialize') || str_contains($text, 'Unexpected end of serialized data')) {
        return true;
    }
    echo '  ', [E_WARNING => 'Warning', E_NOTICE => 'Notice', E_DEPRECATED => 'Deprecated'][$number] ?? $number, ': ', $text, "\n";
    return true;
});
mb_internal_encoding('8bit');

// Runs with compression print values only: compressed bytes, and so their lengths and order, differ.
$is_packed = (int) $seed % 5 === 4;
$has_prefix = (int) $seed % 3 === 1;

function pick(array $from): mixed
{
    return $from[mt_rand(0, count($from) - 1)];
}

/** A key of a kind, mostly: of another one sometimes. */
function key_of(string $kind): string
{
    return (mt_rand(0, 19) ? $kind : pick(['str', 'num', 'hash', 'list', 'set', 'zset', 'bits', 'geo', 'stream'])) . mt_rand(0, 4);
}

function any_text(): string
{
    return match (mt_rand(0, 9)) {
        0 => '', 1 => (string) mt_rand(-20, 20), 2 => '1.5', 3 => "\0\xff\r\n", 4 => str_repeat(pick(['ab', 'x', 'a longer text ']), mt_rand(1, 100)),
        5 => 'i:5;', 6 => '{"a":1}', 7 => pick(['a', 'b', 'c']), 8 => 'é', 9 => md5((string) mt_rand()),
    };
}

function any_value(int $depth = 0): mixed
{
    return match (mt_rand(0, 11)) {
        0 => null, 1 => (bool) mt_rand(0, 1), 2 => mt_rand(-100, 100), 3 => pick([PHP_INT_MAX, PHP_INT_MIN, 0, 1 << 40]), 4 => pick([1.5, -0.25, 1e100, 0.1, 3.0, 1e-7]),
        5 => $depth > 2 ? [] : array_map(fn () => any_value($depth + 1), range(0, mt_rand(0, 3))),
        6 => $depth > 2 ? [] : ['a' => any_value($depth + 1), 'b' => any_value($depth + 1), 5 => null],
        default => any_text(),
    };
}

function any_score(): mixed
{
    return pick([0, 1, -1, 2.5, 3, 10, 1e20, '5', '-inf', '+inf', 'inf', 'abc']);
}

function any_option(string $name): mixed
{
    return match ($name) {
        'set' => pick([null, 1000, 0, -1, '5000', 900.5, ['nx'], ['xx'], ['EX' => 1000], ['px' => 1000000], ['nx', 'ex' => 1000], ['xx', 'get'], ['GET'], ['keepttl'], ['exat' => 4000000000], ['nosuch'], ['NX', 'XX'], [], ['EX' => '1000'], ['ex' => 0], true, 'abc']),
        'getex' => pick([[], ['EX' => 1000], ['px' => 1000000], ['exat' => 4000000000], ['PERSIST'], ['persist' => true], ['nosuch' => 1], ['EX' => 0]]),
        'mode' => pick([null, 'NX', 'xx', 'GT', 'lt', 'nosuch']),
        'zadd' => pick([['NX'], ['xx'], ['CH'], ['XX', 'CH'], ['GT'], ['lt', 'ch'], ['INCR'], ['nosuch'], []]),
        'zrange' => pick([null, true, false, ['withscores' => true], ['rev'], ['REV', 'withscores'], ['byscore'], ['byscore', 'limit' => [0, 2]], ['BYLEX'], ['nosuch']]),
        'byscore' => pick([[], ['withscores' => true], ['limit' => [0, 2]], ['withscores' => true, 'limit' => [1, 1]], ['WITHSCORES'], ['limit' => 5]]),
        'zstore' => pick([null, [], ['weights' => [1, 2]], ['aggregate' => 'max'], ['aggregate' => 'SUM']]),
        'zinter' => pick([null, [], ['withscores' => true], ['withscores']]),
        'aggregate' => pick([null, 'SUM', 'min', 'MAX', 'nosuch']),
        'weights' => pick([null, [1, 2], [0.5, 3], [1]]),
        'lpos' => pick([null, [], ['rank' => 1], ['count' => 0], ['rank' => -1, 'COUNT' => 2], ['maxlen' => 2]]),
        'lcs' => pick([null, ['len'], ['idx'], ['IDX', 'withmatchlen'], ['minmatchlen' => 2, 'idx'], ['nosuch']]),
        'copy' => pick([null, ['replace' => true], ['REPLACE' => false], ['db' => 0], ['DB' => 0, 'replace' => true]]),
        'bitop' => pick(['AND', 'or', 'XOR', 'NOT', 'nosuch']),
        'where' => pick(['BEFORE', 'after', 'nosuch']),
        'side' => pick(['LEFT', 'right', 'nosuch']),
        'lex' => pick(['-', '+', '[a', '(b', '[c', 'x']),
        'unit' => pick(['m', 'km', 'FT', 'nosuch']),
        'georadius' => pick([[], ['COUNT' => 2], ['withcoord', 'withdist'], ['ASC'], ['WITHHASH', 'asc'], ['count' => [1, 'any'], 'asc']]),
        'xadd' => pick([[], ['a' => 1], ['a' => 'x', 'b' => 'y'], [1, 2]]),
        'sort' => pick([null, [], ['alpha' => true], ['sort' => 'desc', 'alpha' => true], ['limit' => [0, 2], 'alpha' => true], ['by' => 'nosort'], ['get' => 'str*', 'alpha' => true], ['get' => ['#', 'str*'], 'alpha' => true], ['STORE' => 'list9', 'alpha' => true]]),
        'object' => pick(['encoding', 'REFCOUNT', 'nosuch']),
        'range' => pick([[0, -1], [0, 1], [1, 5], [-2, -1], [5, 2]]),
    };
}

/** The arguments for a word of the table. */
function arguments(string $word): array
{
    [$kind, $of] = explode(':', $word) + [1 => 'str'];
    return match ($kind) {
        'k' => [key_of($of)],
        'k+' => array_map(fn () => key_of($of), range(1, mt_rand(1, 3))),
        // Lexical ranges are of members with one score.
        'lex' => ['lex' . mt_rand(0, 1)],
        'none' => [0],
        'K' => [array_map(fn () => key_of($of), mt_rand(0, 9) ? range(1, mt_rand(1, 3)) : [])],
        'v' => [any_value()],
        'v+' => array_map(fn () => any_value(), range(1, mt_rand(1, 3))),
        'V' => [array_map(fn () => any_value(), mt_rand(0, 9) ? range(1, mt_rand(1, 3)) : [])],
        's' => [any_text()],
        'f' => [pick(['a', 'b', 'c', '5', ''])],
        'f+' => array_map(fn () => pick(['a', 'b', 'c', '5']), range(1, mt_rand(1, 3))),
        'F' => [array_map(fn () => pick(['a', 'b', 5, 'c']), mt_rand(0, 9) ? range(1, mt_rand(1, 3)) : [])],
        'M' => [array_map(fn () => any_value(), mt_rand(0, 9) ? array_flip(array_map(fn () => pick(['a', 'b', 'c', 5]), range(1, 3))) : [])],
        // For a number as a name the original sends too much, and waits for the answer.
        'H' => [array_map(fn () => any_value(), array_flip(array_map(fn () => pick(['a', 'b', 'c']), range(1, 3))))],
        'KV' => [array_map(fn () => any_value(), mt_rand(0, 9) ? array_flip(array_map(fn () => key_of('str'), range(1, 3))) : [])],
        'i' => [mt_rand(-3, 6)],
        'I' => [pick([0, 1, -1, 7, 100, 5000000000, PHP_INT_MAX])],
        'opt' => [pick([-1, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 99])],
        'bit' => [mt_rand(0, 40)],
        'bool' => [(bool) mt_rand(0, 1)],
        'wait' => [pick([0.01, 0.002])],
        'd' => [pick([1.5, -2.25, 0.1, 3.0, 1e10])],
        // All different, so that the longest does not depend on the order.
        'ttl' => [mt_rand(0, 4) ? 1000 + mt_rand(0, 100000) : pick([0, -1])],
        'ms' => [mt_rand(0, 4) ? 1000000 + mt_rand(0, 100000000) : pick([0, -1])],
        'at' => [4000000000 + mt_rand(0, 5)],
        'score' => [any_score()],
        'scores' => array_merge(...array_map(fn () => [pick([0, 1, 2.5, -3]), any_value()], range(1, mt_rand(1, 3)))),
        'place' => [pick([13.36, 15.08, 2.35, 200.0]), pick([38.11, 37.5, 48.85])],
        'id' => [pick(['1-1', '5-' . mt_rand(0, 50), mt_rand(1, 99) . '-1'])],
        'o' => [any_option($of)],
    };
}

// Method, and its arguments; a '?' before one: it and the following ones are optional.
$methods = [
    'get k', 'get k', 'set k v ?o:set', 'set k v ?o:set', 'setex k ttl v', 'psetex k ms v', 'setnx k v', 'getset k v', 'getDel k', 'getEx k o:getex', 'mget K', 'mset KV', 'msetnx KV',
    'append k s', 'strlen k', 'getRange k i i', 'setRange k bit s', 'substr k i i', 'incr k:num ?I', 'incrBy k:num I', 'decr k:num ?I', 'decrBy k:num I', 'incrByFloat k:num d', 'lcs k k ?o:lcs',
    'del k+', 'del K', 'unlink k+', 'unlink K', 'exists k+', 'exists K', 'touch k+', 'touch K', 'type k', 'ttl k', 'pttl k', 'persist k', 'expire k ttl ?o:mode', 'pexpire k ms ?o:mode', 'expireAt k at ?o:mode',
    'pexpireAt k at ?o:mode', 'expiretime k', 'rename k k', 'renameNx k k', 'copy k k ?o:copy', 'object o:object k', 'dbSize', 'randomKey', 'keys s', 'dump k',
    'setBit k:bits bit bool', 'getBit k:bits bit', 'bitcount k:bits ?i i', 'bitpos k:bits bool ?i i', 'bitop o:bitop k:bits k:bits ?k:bits',
    'hSet k:hash f v', 'hSet k:hash f v f v', 'hSet k:hash H', 'hSetNx k:hash f v', 'hGet k:hash f', 'hMSet k:hash M', 'hMGet k:hash F', 'hGetAll k:hash', 'hDel k:hash f+', 'hExists k:hash f', 'hLen k:hash', 'hKeys k:hash', 'hVals k:hash',
    'hIncrBy k:hash f i', 'hIncrByFloat k:hash f d', 'hStrLen k:hash f',
    'lPush k:list v+', 'rPush k:list v+', 'lPushx k:list v', 'rPushx k:list v', 'lPop k:list ?i', 'rPop k:list ?i', 'lLen k:list', 'lIndex k:list i', 'lSet k:list i v', 'lRange k:list i i', 'lTrim k:list i i', 'lRem k:list v ?i',
    'lInsert k:list o:where v v', 'lPos k:list v ?o:lpos', 'rPopLPush k:list k:list', 'lMove k:list k:list o:side o:side', 'lmpop K:list o:side ?i', 'blPop K:list wait', 'brPop K:list wait', 'sort k:list ?o:sort', 'sort_ro k:list ?o:sort',
    'sAdd k:set v+', 'sAddArray k:set V', 'sRem k:set v+', 'sMembers k:set', 'sIsMember k:set v', 'sMisMember k:set v+', 'sCard k:set', 'sMove k:set k:set v', 'sInter K:set', 'sInter k:set k:set', 'sUnion K:set', 'sDiff K:set', 'sDiff k:set k:set',
    'sInterStore k:set k:set k:set', 'sUnionStore k:set k:set', 'sDiffStore k:set k:set k:set', 'sintercard K:set ?i', 'sPop k:set', 'sRandMember k:set', 'sRandMember k:set i',
    'zAdd k:zset scores', 'zAdd lex none s', 'zAdd k:zset o:zadd score v', 'zAdd k:zset o:zadd scores', 'zCard k:zset', 'zScore k:zset v', 'zMscore k:zset v+', 'zIncrBy k:zset d v', 'zRank k:zset v', 'zRevRank k:zset v', 'zRem k:zset v+', 'zCount k:zset score score',
    'zRange k:zset i i ?o:zrange', 'zRevRange k:zset i i ?bool', 'zRangeByScore k:zset score score ?o:byscore', 'zRevRangeByScore k:zset score score ?o:byscore', 'zRangeByLex lex o:lex o:lex ?i i', 'zRevRangeByLex lex o:lex o:lex ?i i',
    'zLexCount lex o:lex o:lex', 'zRemRangeByRank k:zset i i', 'zRemRangeByScore k:zset score score', 'zRemRangeByLex lex o:lex o:lex', 'zPopMin k:zset ?i', 'zPopMax k:zset ?i', 'zmpop K:zset s', 'zRangeStore k:zset k:zset i i ?o:zrange',
    'zunion K:zset ?o:weights o:zinter', 'zinter K:zset ?o:weights o:zinter', 'zdiff K:zset ?o:zinter', 'zunionstore k:zset K:zset ?o:weights o:aggregate', 'zinterstore k:zset K:zset ?o:weights o:aggregate', 'zdiffstore k:zset K:zset', 'zintercard K:zset ?i',
    'geoadd k:geo place f', 'geodist k:geo f f ?o:unit', 'geopos k:geo f+', 'geohash k:geo f+', 'georadius k:geo place d o:unit ?o:georadius', 'georadiusbymember k:geo f d o:unit ?o:georadius',
    'xAdd k:stream id o:xadd', 'xLen k:stream', 'xRange k:stream f f ?i', 'xDel k:stream o:range', 'pfAdd k V', 'pfCount K', 'pfMerge k K',
    'ping', 'ping s', 'echo s', 'getLastError', 'clearLastError', 'getMode', 'getDBNum', '_serialize v', '_unserialize s', '_pack v', '_unpack s', '_prefix s', 'isConnected', 'getOption opt',
];
if ($is_packed) {
    $methods = ['get k', 'set k v ?o:set', 'setex k ttl v', 'setnx k v', 'getset k v', 'getDel k', 'getEx k o:getex', 'mget K', 'mset KV', 'msetnx KV', 'del k+', 'exists k+', 'type k', 'rename k k', 'hSet k:hash f v', 'hGet k:hash f',
        'hMSet k:hash M', 'hMGet k:hash F', 'hGetAll k:hash', 'hVals k:hash', 'rPush k:list v+', 'lPush k:list v+', 'lRange k:list i i', 'lPop k:list', 'lRem k:list v ?i', 'sAdd k:set v+', 'sMembers k:set', 'sIsMember k:set v', 'sInter K:set',
        'zAdd k:zset score v', 'zScore k:zset v', 'zIncrBy k:zset d v', 'zRem k:zset v+', 'incr k:num ?I'];
}

/** In one line. Unordered replies are sorted. */
function shown(mixed $value, bool $is_sorted = false): string
{
    if (is_array($value)) {
        $shown = array_map(fn ($key) => shown($key) . '=>' . shown($value[$key], $is_sorted), array_keys($value));
        if ($is_sorted) {
            $shown = array_map(fn ($element) => shown($element, true), $value);
            $shown = array_is_list($value) ? $shown : array_map(fn ($key) => shown($key) . '=>' . $shown[$key], array_keys($value));
            sort($shown);
        }
        return '[' . implode(', ', $shown) . ']';
    }
    return match (true) {
        $value instanceof Redis => 'Redis', is_object($value) => get_class($value) . shown((array) $value),
        is_string($value) => strlen($value) > 200 ? 'text ' . strlen($value) . ' ' . md5($value) : '"' . addcslashes($value, "\0..\37\"\\\177..\377") . '"',
        default => var_export($value, true),
    };
}

const SORTED = ['smembers', 'sinter', 'sunion', 'sdiff', 'keys', 'hgetall', 'hkeys', 'hvals', 'sort', 'sort_ro', 'exec', 'info'];
const RANDOM = ['spop' => 1, 'srandmember' => 1, 'randomkey' => 1, 'dump' => 1];

function told(string $method, mixed $result): string
{
    $method = strtolower($method);
    return match (true) {
        isset(RANDOM[$method]) => 'at random',
        in_array($method, ['ttl', 'pttl'], true) && is_int($result) && $result > 0 => 'about ' . round(log10($result), 1),
        $method === 'expiretime' && is_int($result) && $result > 0 => 'about ' . round(log10($result), 1),
        default => shown($result, in_array($method, SORTED, true)),
    };
}

function one_call(Redis $redis, string $row, bool $is_wild): void
{
    // The original crashes if a member with a score is not a string.
    if (preg_match('/^z(Pop|Range|Rev|union|inter|mpop|diff)/i', $row) && $redis->getOption(Redis::OPT_SERIALIZER) !== Redis::SERIALIZER_NONE) {
        return;
    }
    $words = explode(' ', $row);
    $method = array_shift($words);
    $given = [];
    foreach ($words as $word) {
        if ($word[0] === '?' && !mt_rand(0, 1)) {
            break;
        }
        array_push($given, ...arguments(ltrim($word, '?')));
    }
    // The original crashes for the option 5, and waits for ever after a hash without names. No key may expire within the run.
    if ($is_wild && $given && !preg_match('/ (opt|H|wait|ttl|ms|at|\?o:set|o:getex)\b/', $row)) {
        $given[mt_rand(0, count($given) - 1)] = pick([null, [], 5, true, 'text', 1.5, [[]]]);
    }
    echo $method, '(', substr(implode(', ', array_map(shown(...), $given)), 0, 300), "): ";
    try {
        $told = told($method, $redis->$method(...$given));
    } catch (Throwable $e) {
        $told = get_class($e) . ': ' . str_replace($GLOBALS['socket'], 'SOCKET', trim($e->getMessage()));
    }
    echo $told, "\n";
    if ($redis->getMode() === Redis::ATOMIC && $method !== 'clearLastError') {
        echo ($error = $redis->getLastError()) === null ? '' : "  error: $error\n";
        $redis->clearLastError();
    }
}

$redis = new Redis();
$redis->connect($socket);
$redis->setOption(Redis::OPT_READ_TIMEOUT, 5);
$serializers = array_values(array_filter(array_map(fn ($name) => defined("Redis::SERIALIZER_$name") ? constant("Redis::SERIALIZER_$name") : null, ['NONE', 'NONE', 'PHP', 'JSON', 'IGBINARY'])));
array_push($serializers, Redis::SERIALIZER_NONE, Redis::SERIALIZER_NONE);
if ($is_packed) {
    // The original reads beyond the decompressed data, and finds no JSON there.
    $serializers = array_values(array_diff($serializers, [Redis::SERIALIZER_JSON]));
}
if ($has_prefix) {
    $redis->setOption(Redis::OPT_PREFIX, 'p:');
}
if ($is_packed) {
    $redis->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_LZF);
}
$was_random = false;
for ($call = 0; $call < (int) $calls; $call++) {
    if (!mt_rand(0, 29)) {
        [$option, $value] = pick([[Redis::OPT_SERIALIZER, pick($serializers)], [Redis::OPT_REPLY_LITERAL, mt_rand(0, 1)], [Redis::OPT_NULL_MULTIBULK_AS_NULL, mt_rand(0, 1)], [Redis::OPT_PACK_IGNORE_NUMBERS, mt_rand(0, 1)]]);
        echo "option $option $value: ", shown($redis->setOption($option, $value)), "\n";
    }
    if (!mt_rand(0, 24)) {
        $how = pick(['multi', 'pipeline', 'pipeline', 'watch']);
        if ($how === 'watch') {
            $redis->watch('str0');
            $how = 'multi';
        }
        echo "$how: ";
        $redis->$how();
        echo $redis->getMode(), "\n";
        // Without commands whose replies are unordered.
        for ($queued = mt_rand(0, 8); $queued > 0; $queued--) {
            do {
                $row = pick($methods);
                $name = strtolower(strtok($row, ' '));
            } while (isset(RANDOM[$name]) || $name === 'sort' || $name === 'sort_ro' || $name[0] === '_' || $name === 'pttl' || $name === 'ttl' || $name === 'expiretime' || str_starts_with($name, 'bl') || str_starts_with($name, 'br'));
            one_call($redis, $row, !mt_rand(0, 24));
        }
        $end = mt_rand(0, 9) ? 'exec' : 'discard';
        one_call($redis, $end, false);
        echo '  then ', $redis->getMode(), "\n";
    }
    $row = pick($methods);
    one_call($redis, $row, !mt_rand(0, 24));
    if (isset(RANDOM[strtolower(strtok($row, ' '))]) && str_starts_with($row, 'sPop')) {
        $redis->del('set0', 'set1', 'set2', 'set3', 'set4', 'hash0', 'list0', 'zset0', 'str0', 'num0', 'bits0', 'geo0', 'stream0');
        $redis->flushDB();
    }
    if ($call % 500 === 499) {
        // As applications do at the start of a page.
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
        $redis->flushDB();
    }
}
