<?php

/**
 * The class Redis of php-redis 6.2.0, for a Redis or Valkey server, or for the arenas of a `leveret serve --redis` of this host.
 *
 * Signatures and constants are those of php-redis 6.2.0, because frameworks' proxies extend the class. A method that only sends a command
 * and reads its reply has a row in redis/table.c.
 *
 * Units: $timeout and $read_timeout of connect() are seconds (0: default_socket_timeout; negative: no limit), $retry_interval
 * milliseconds; times to live are seconds, those of methods with a leading p milliseconds. OPT_BACKOFF_BASE and OPT_BACKOFF_CAP are milliseconds,
 * OPT_READ_TIMEOUT seconds. In an arena a value takes at most an eighth of its memory.
 *
 * @generate-class-entries
 */

class Redis
{
    /** @var int */
    public const REDIS_NOT_FOUND = 0;
    /** @var int */
    public const REDIS_STRING = 1;
    /** @var int */
    public const REDIS_SET = 2;
    /** @var int */
    public const REDIS_LIST = 3;
    /** @var int */
    public const REDIS_ZSET = 4;
    /** @var int */
    public const REDIS_HASH = 5;
    /** @var int */
    public const REDIS_STREAM = 6;
    /** @var int */
    public const ATOMIC = 0;
    /** @var int */
    public const MULTI = 1;
    /** @var int */
    public const PIPELINE = 2;
    /** @var int */
    public const OPT_SERIALIZER = 1;
    /** @var int */
    public const OPT_PREFIX = 2;
    /** @var int */
    public const OPT_READ_TIMEOUT = 3;
    /** @var int */
    public const OPT_TCP_KEEPALIVE = 6;
    /** @var int */
    public const OPT_COMPRESSION = 7;
    /** @var int */
    public const OPT_REPLY_LITERAL = 8;
    /** @var int */
    public const OPT_COMPRESSION_LEVEL = 9;
    /** @var int */
    public const OPT_NULL_MULTIBULK_AS_NULL = 10;
    /** @var int */
    public const OPT_PACK_IGNORE_NUMBERS = 15;
    /** @var int */
    public const SERIALIZER_NONE = 0;
    /** @var int */
    public const SERIALIZER_PHP = 1;
    /** @var int */
    public const SERIALIZER_JSON = 4;
    /** @var int */
    public const COMPRESSION_NONE = 0;
    /** @var int */
    public const OPT_SCAN = 4;
    /** @var int */
    public const SCAN_RETRY = 1;
    /** @var int */
    public const SCAN_NORETRY = 0;
    /** @var int */
    public const SCAN_PREFIX = 2;
    /** @var int */
    public const SCAN_NOPREFIX = 3;
    /** @var string */
    public const BEFORE = 'before';
    /** @var string */
    public const AFTER = 'after';
    /** @var string */
    public const LEFT = 'left';
    /** @var string */
    public const RIGHT = 'right';
    /** @var int */
    public const OPT_MAX_RETRIES = 11;
    /** @var int */
    public const OPT_BACKOFF_ALGORITHM = 12;
    /** @var int */
    public const BACKOFF_ALGORITHM_DEFAULT = 0;
    /** @var int */
    public const BACKOFF_ALGORITHM_CONSTANT = 6;
    /** @var int */
    public const BACKOFF_ALGORITHM_UNIFORM = 5;
    /** @var int */
    public const BACKOFF_ALGORITHM_EXPONENTIAL = 4;
    /** @var int */
    public const BACKOFF_ALGORITHM_FULL_JITTER = 2;
    /** @var int */
    public const BACKOFF_ALGORITHM_EQUAL_JITTER = 3;
    /** @var int */
    public const BACKOFF_ALGORITHM_DECORRELATED_JITTER = 1;
    /** @var int */
    public const OPT_BACKOFF_BASE = 13;
    /** @var int */
    public const OPT_BACKOFF_CAP = 14;

    public function __construct(?array $options = null) {}

    public function __destruct() {}

    public function _compress(string $value): string {}

    public function _uncompress(string $value): string {}

    public function _prefix(string $key): string {}

    public function _serialize(mixed $value): string {}

    public function _unserialize(string $value): mixed {}

    public function _pack(mixed $value): string {}

    public function _unpack(string $value): mixed {}

    /** @implementation-alias Redis::tabled */
    public function acl(string $subcmd, string ...$args): mixed {}

    /** @implementation-alias Redis::tabled */
    public function append(string $key, mixed $value): Redis|int|false {}

    public function auth(mixed $credentials): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function bgSave(): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function bgrewriteaof(): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function waitaof(int $numlocal, int $numreplicas, int $timeout): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function bitcount(string $key, int $start = 0, int $end = -1, bool $bybit = false): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function bitop(string $operation, string $deskey, string $srckey, string ...$other_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function bitpos(string $key, bool $bit, int $start = 0, int $end = -1, bool $bybit = false): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function blPop(array|string $key_or_keys, string|int|float $timeout_or_key, mixed ...$extra_args): Redis|array|false|null {}

    /** @implementation-alias Redis::tabled */
    public function brPop(array|string $key_or_keys, string|int|float $timeout_or_key, mixed ...$extra_args): Redis|array|false|null {}

    /** @implementation-alias Redis::tabled */
    public function brpoplpush(string $src, string $dst, int|float $timeout): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function bzPopMax(array|string $key, string|int $timeout_or_key, mixed ...$extra_args): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function bzPopMin(array|string $key, string|int $timeout_or_key, mixed ...$extra_args): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function bzmpop(float $timeout, array $keys, string $from, int $count = 1): Redis|array|false|null {}

    /** @implementation-alias Redis::tabled */
    public function zmpop(array $keys, string $from, int $count = 1): Redis|array|false|null {}

    /** @implementation-alias Redis::tabled */
    public function blmpop(float $timeout, array $keys, string $from, int $count = 1): Redis|array|false|null {}

    /** @implementation-alias Redis::tabled */
    public function lmpop(array $keys, string $from, int $count = 1): Redis|array|false|null {}

    public function clearLastError(): bool {}

    /** @implementation-alias Redis::tabled */
    public function client(string $opt, mixed ...$args): mixed {}

    public function close(): bool {}

    /** @implementation-alias Redis::tabled */
    public function command(?string $opt = null, mixed ...$args): mixed {}

    /** @implementation-alias Redis::tabled */
    public function config(string $operation, array|string|null $key_or_settings = null, ?string $value = null): mixed {}

    public function connect(string $host, int $port = 6379, float $timeout = 0, ?string $persistent_id = null, int $retry_interval = 0, float $read_timeout = 0, ?array $context = null): bool {}

    /** @implementation-alias Redis::tabled */
    public function copy(string $src, string $dst, ?array $options = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function dbSize(): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function debug(string $key): Redis|string {}

    /** @implementation-alias Redis::tabled */
    public function decr(string $key, int $by = 1): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function decrBy(string $key, int $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function del(array|string $key, string ...$other_keys): Redis|int|false {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function delete(array|string $key, string ...$other_keys): Redis|int|false {}

    public function discard(): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function dump(string $key): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function echo(string $str): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function eval(string $script, array $args = [], int $num_keys = 0): mixed {}

    /** @implementation-alias Redis::tabled */
    public function eval_ro(string $script_sha, array $args = [], int $num_keys = 0): mixed {}

    /** @implementation-alias Redis::tabled */
    public function evalsha(string $sha1, array $args = [], int $num_keys = 0): mixed {}

    /** @implementation-alias Redis::tabled */
    public function evalsha_ro(string $sha1, array $args = [], int $num_keys = 0): mixed {}

    public function exec(): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function exists(mixed $key, mixed ...$other_keys): Redis|int|bool {}

    /** @implementation-alias Redis::tabled */
    public function expire(string $key, int $timeout, ?string $mode = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function expireAt(string $key, int $timestamp, ?string $mode = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function failover(?array $to = null, bool $abort = false, int $timeout = 0): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function expiretime(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function pexpiretime(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function fcall(string $fn, array $keys = [], array $args = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function fcall_ro(string $fn, array $keys = [], array $args = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function flushAll(?bool $sync = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function flushDB(?bool $sync = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function function(string $operation, mixed ...$args): Redis|array|string|bool {}

    /** @implementation-alias Redis::tabled */
    public function geoadd(string $key, float $lng, float $lat, string $member, mixed ...$other_triples_and_options): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function geodist(string $key, string $src, string $dst, ?string $unit = null): Redis|float|false {}

    /** @implementation-alias Redis::tabled */
    public function geohash(string $key, string $member, string ...$other_members): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function geopos(string $key, string $member, string ...$other_members): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function georadius(string $key, float $lng, float $lat, float $radius, string $unit, array $options = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function georadius_ro(string $key, float $lng, float $lat, float $radius, string $unit, array $options = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function georadiusbymember(string $key, string $member, float $radius, string $unit, array $options = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function georadiusbymember_ro(string $key, string $member, float $radius, string $unit, array $options = []): mixed {}

    /** @implementation-alias Redis::tabled */
    public function geosearch(string $key, array|string $position, array|int|float $shape, string $unit, array $options = []): array {}

    /** @implementation-alias Redis::tabled */
    public function geosearchstore(string $dst, string $src, array|string $position, array|int|float $shape, string $unit, array $options = []): Redis|array|int|false {}

    public function get(string $key): mixed {}

    /** @implementation-alias Redis::tabled */
    public function getWithMeta(string $key): Redis|array|false {}

    public function getAuth(): mixed {}

    /** @implementation-alias Redis::tabled */
    public function getBit(string $key, int $idx): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function getEx(string $key, array $options = []): Redis|string|bool {}

    public function getDBNum(): int {}

    /** @implementation-alias Redis::tabled */
    public function getDel(string $key): Redis|string|bool {}

    public function getHost(): string {}

    public function getLastError(): ?string {}

    public function getMode(): int {}

    public function getOption(int $option): mixed {}

    public function getPersistentID(): ?string {}

    public function getPort(): int {}

    public function serverName(): string|false {}

    public function serverVersion(): string|false {}

    /** @implementation-alias Redis::tabled */
    public function getRange(string $key, int $start, int $end): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function lcs(string $key1, string $key2, ?array $options = null): Redis|array|string|int|false {}

    public function getReadTimeout(): float {}

    /** @implementation-alias Redis::tabled */
    public function getset(string $key, mixed $value): Redis|string|false {}

    public function getTimeout(): float|false {}

    public function getTransferredBytes(): array {}

    public function clearTransferredBytes(): void {}

    /** @implementation-alias Redis::tabled */
    public function hDel(string $key, string $field, string ...$other_fields): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function hExists(string $key, string $field): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function hGet(string $key, string $member): mixed {}

    /** @implementation-alias Redis::tabled */
    public function hGetAll(string $key): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function hIncrBy(string $key, string $field, int $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function hIncrByFloat(string $key, string $field, float $value): Redis|float|false {}

    /** @implementation-alias Redis::tabled */
    public function hKeys(string $key): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function hLen(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function hMget(string $key, array $fields): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function hMset(string $key, array $fieldvals): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function hRandField(string $key, ?array $options = null): Redis|array|string|false {}

    /** @implementation-alias Redis::tabled */
    public function hSet(string $key, mixed ...$fields_and_vals): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function hSetNx(string $key, string $field, mixed $value): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function hStrLen(string $key, string $field): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function hVals(string $key): Redis|array|false {}

    /** @implementation-alias Redis::scan */
    public function hscan(string $key, string|int|null &$iterator, ?string $pattern = null, int $count = 0): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function expiremember(string $key, string $field, int $ttl, ?string $unit = null): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function expirememberat(string $key, string $field, int $timestamp): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function incr(string $key, int $by = 1): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function incrBy(string $key, int $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function incrByFloat(string $key, float $value): Redis|float|false {}

    /** @implementation-alias Redis::tabled */
    public function info(string ...$sections): Redis|array|false {}

    public function isConnected(): bool {}

    /** @implementation-alias Redis::tabled
     * @return mixed
     */
    public function keys(string $pattern) {}

    /** @implementation-alias Redis::tabled
     * @return mixed
     */
    public function lInsert(string $key, string $pos, mixed $pivot, mixed $value) {}

    /** @implementation-alias Redis::tabled */
    public function lLen(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function lMove(string $src, string $dst, string $wherefrom, string $whereto): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function blmove(string $src, string $dst, string $wherefrom, string $whereto, float $timeout): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function lPop(string $key, int $count = 0): Redis|array|string|bool {}

    /** @implementation-alias Redis::tabled */
    public function lPos(string $key, mixed $value, ?array $options = null): Redis|array|int|bool|null {}

    /** @implementation-alias Redis::tabled */
    public function lPush(string $key, mixed ...$elements): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function rPush(string $key, mixed ...$elements): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function lPushx(string $key, mixed $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function rPushx(string $key, mixed $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function lSet(string $key, int $index, mixed $value): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function lastSave(): int {}

    /** @implementation-alias Redis::tabled */
    public function lindex(string $key, int $index): mixed {}

    /** @implementation-alias Redis::tabled */
    public function lrange(string $key, int $start, int $end): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function lrem(string $key, mixed $value, int $count = 0): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function ltrim(string $key, int $start, int $end): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function mget(array $keys): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function migrate(string $host, int $port, array|string $key, int $dstdb, int $timeout, bool $copy = false, bool $replace = false, mixed $credentials = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function move(string $key, int $index): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function mset(array $key_values): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function msetnx(array $key_values): Redis|bool {}

    public function multi(int $value = Redis::MULTI): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function object(string $subcommand, string $key): Redis|string|int|false {}

    /** @deprecated
     * @implementation-alias Redis::connect
     */
    public function open(string $host, int $port = 6379, float $timeout = 0, ?string $persistent_id = null, int $retry_interval = 0, float $read_timeout = 0, ?array $context = null): bool {}

    public function pconnect(string $host, int $port = 6379, float $timeout = 0, ?string $persistent_id = null, int $retry_interval = 0, float $read_timeout = 0, ?array $context = null): bool {}

    /** @implementation-alias Redis::tabled */
    public function persist(string $key): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function pexpire(string $key, int $timeout, ?string $mode = null): bool {}

    /** @implementation-alias Redis::tabled */
    public function pexpireAt(string $key, int $timestamp, ?string $mode = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function pfadd(string $key, array $elements): Redis|int {}

    /** @implementation-alias Redis::tabled */
    public function pfcount(array|string $key_or_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function pfmerge(string $dst, array $srckeys): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function ping(?string $message = null): Redis|string|bool {}

    public function pipeline(): Redis|bool {}

    /** @deprecated
     * @implementation-alias Redis::pconnect
     */
    public function popen(string $host, int $port = 6379, float $timeout = 0, ?string $persistent_id = null, int $retry_interval = 0, float $read_timeout = 0, ?array $context = null): bool {}

    /** @implementation-alias Redis::tabled */
    public function psetex(string $key, int $expire, mixed $value): Redis|bool {}

    /** @implementation-alias Redis::subscribe */
    public function psubscribe(array $patterns, callable $cb): bool {}

    /** @implementation-alias Redis::tabled */
    public function pttl(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function publish(string $channel, string $message): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function pubsub(string $command, mixed $arg = null): mixed {}

    /** @implementation-alias Redis::unsubscribe */
    public function punsubscribe(array $patterns): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function rPop(string $key, int $count = 0): Redis|array|string|bool {}

    /** @implementation-alias Redis::tabled */
    public function randomKey(): Redis|string|false {}

    public function rawcommand(string $command, mixed ...$args): mixed {}

    /** @implementation-alias Redis::tabled */
    public function rename(string $old_name, string $new_name): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function renameNx(string $key_src, string $key_dst): Redis|bool {}

    public function reset(): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function restore(string $key, int $ttl, string $value, ?array $options = null): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function role(): mixed {}

    /** @implementation-alias Redis::tabled */
    public function rpoplpush(string $srckey, string $dstkey): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function sAdd(string $key, mixed $value, mixed ...$other_values): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function sAddArray(string $key, array $values): int {}

    /** @implementation-alias Redis::tabled */
    public function sDiff(string $key, string ...$other_keys): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function sDiffStore(string $dst, string $key, string ...$other_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function sInter(array|string $key, string ...$other_keys): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function sintercard(array $keys, int $limit = -1): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function sInterStore(array|string $key, string ...$other_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function sMembers(string $key): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function sMisMember(string $key, string $member, string ...$other_members): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function sMove(string $src, string $dst, mixed $value): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function sPop(string $key, int $count = 0): Redis|array|string|false {}

    /** @implementation-alias Redis::tabled */
    public function sRandMember(string $key, int $count = 0): mixed {}

    /** @implementation-alias Redis::tabled */
    public function sUnion(string $key, string ...$other_keys): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function sUnionStore(string $dst, string $key, string ...$other_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function save(): Redis|bool {}

    public function scan(string|int|null &$iterator, ?string $pattern = null, int $count = 0, ?string $type = null): array|false {}

    /** @implementation-alias Redis::tabled */
    public function scard(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function script(string $command, mixed ...$args): mixed {}

    /** @implementation-alias Redis::tabled */
    public function select(int $db): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function set(string $key, mixed $value, mixed $options = null): Redis|string|bool {}

    /** @implementation-alias Redis::tabled */
    public function setBit(string $key, int $idx, bool $value): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function setRange(string $key, int $index, string $value): Redis|int|false {}

    public function setOption(int $option, mixed $value): bool {}

    /** @implementation-alias Redis::tabled
     * @return mixed
     */
    public function setex(string $key, int $expire, mixed $value) {}

    /** @implementation-alias Redis::tabled */
    public function setnx(string $key, mixed $value): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function sismember(string $key, mixed $value): Redis|bool {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function slaveof(?string $host = null, int $port = 6379): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function replicaof(?string $host = null, int $port = 6379): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function touch(array|string $key_or_array, string ...$more_keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function slowlog(string $operation, int $length = 0): mixed {}

    /** @implementation-alias Redis::tabled */
    public function sort(string $key, ?array $options = null): mixed {}

    /** @implementation-alias Redis::tabled */
    public function sort_ro(string $key, ?array $options = null): mixed {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function sortAsc(string $key, ?string $pattern = null, mixed $get = null, int $offset = -1, int $count = -1, ?string $store = null): array {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function sortAscAlpha(string $key, ?string $pattern = null, mixed $get = null, int $offset = -1, int $count = -1, ?string $store = null): array {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function sortDesc(string $key, ?string $pattern = null, mixed $get = null, int $offset = -1, int $count = -1, ?string $store = null): array {}

    /** @deprecated
     * @implementation-alias Redis::tabled
     */
    public function sortDescAlpha(string $key, ?string $pattern = null, mixed $get = null, int $offset = -1, int $count = -1, ?string $store = null): array {}

    /** @implementation-alias Redis::tabled */
    public function srem(string $key, mixed $value, mixed ...$other_values): Redis|int|false {}

    /** @implementation-alias Redis::scan */
    public function sscan(string $key, string|int|null &$iterator, ?string $pattern = null, int $count = 0): array|false {}

    /** @implementation-alias Redis::subscribe */
    public function ssubscribe(array $channels, callable $cb): bool {}

    /** @implementation-alias Redis::tabled */
    public function strlen(string $key): Redis|int|false {}

    public function subscribe(array $channels, callable $cb): bool {}

    /** @implementation-alias Redis::unsubscribe */
    public function sunsubscribe(array $channels): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function swapdb(int $src, int $dst): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function time(): Redis|array {}

    /** @implementation-alias Redis::tabled */
    public function ttl(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function type(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function unlink(array|string $key, string ...$other_keys): Redis|int|false {}

    public function unsubscribe(array $channels): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function unwatch(): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function watch(array|string $key, string ...$other_keys): Redis|bool {}

    /** @implementation-alias Redis::tabled */
    public function wait(int $numreplicas, int $timeout): int|false {}

    /** @implementation-alias Redis::tabled */
    public function xack(string $key, string $group, array $ids): int|false {}

    /** @implementation-alias Redis::tabled */
    public function xadd(string $key, string $id, array $values, int $maxlen = 0, bool $approx = false, bool $nomkstream = false): Redis|string|false {}

    /** @implementation-alias Redis::tabled */
    public function xautoclaim(string $key, string $group, string $consumer, int $min_idle, string $start, int $count = -1, bool $justid = false): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xclaim(string $key, string $group, string $consumer, int $min_idle, array $ids, array $options): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xdel(string $key, array $ids): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function xgroup(string $operation, ?string $key = null, ?string $group = null, ?string $id_or_consumer = null, bool $mkstream = false, int $entries_read = -2): mixed {}

    /** @implementation-alias Redis::tabled */
    public function xinfo(string $operation, ?string $arg1 = null, ?string $arg2 = null, int $count = -1): mixed {}

    /** @implementation-alias Redis::tabled */
    public function xlen(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function xpending(string $key, string $group, ?string $start = null, ?string $end = null, int $count = -1, ?string $consumer = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function xrange(string $key, string $start, string $end, int $count = -1): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xread(array $streams, int $count = -1, int $block = -1): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xreadgroup(string $group, string $consumer, array $streams, int $count = 1, int $block = 1): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xrevrange(string $key, string $end, string $start, int $count = -1): Redis|array|bool {}

    /** @implementation-alias Redis::tabled */
    public function xtrim(string $key, string $threshold, bool $approx = false, bool $minid = false, int $limit = -1): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zAdd(string $key, array|float $score_or_options, mixed ...$more_scores_and_mems): Redis|int|float|false {}

    /** @implementation-alias Redis::tabled */
    public function zCard(string $key): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zCount(string $key, string|int $start, string|int $end): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zIncrBy(string $key, float $value, mixed $member): Redis|float|false {}

    /** @implementation-alias Redis::tabled */
    public function zLexCount(string $key, string $min, string $max): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zMscore(string $key, mixed $member, mixed ...$other_members): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zPopMax(string $key, ?int $count = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zPopMin(string $key, ?int $count = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRange(string $key, string|int $start, string|int $end, array|bool|null $options = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRangeByLex(string $key, string $min, string $max, int $offset = -1, int $count = -1): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRangeByScore(string $key, string $start, string $end, array $options = []): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zrangestore(string $dstkey, string $srckey, string $start, string $end, array|bool|null $options = null): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRandMember(string $key, ?array $options = null): Redis|array|string {}

    /** @implementation-alias Redis::tabled */
    public function zRank(string $key, mixed $member): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRem(mixed $key, mixed $member, mixed ...$other_members): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRemRangeByLex(string $key, string $min, string $max): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRemRangeByRank(string $key, int $start, int $end): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRemRangeByScore(string $key, string $start, string $end): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zRevRange(string $key, int $start, int $end, mixed $scores = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRevRangeByLex(string $key, string $max, string $min, int $offset = -1, int $count = -1): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRevRangeByScore(string $key, string $max, string $min, array|bool $options = []): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zRevRank(string $key, mixed $member): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zScore(string $key, mixed $member): Redis|float|false {}

    /** @implementation-alias Redis::tabled */
    public function zdiff(array $keys, ?array $options = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zdiffstore(string $dst, array $keys): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zinter(array $keys, ?array $weights = null, ?array $options = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zintercard(array $keys, int $limit = -1): Redis|int|false {}

    /** @implementation-alias Redis::tabled */
    public function zinterstore(string $dst, array $keys, ?array $weights = null, ?string $aggregate = null): Redis|int|false {}

    /** @implementation-alias Redis::scan */
    public function zscan(string $key, string|int|null &$iterator, ?string $pattern = null, int $count = 0): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zunion(array $keys, ?array $weights = null, ?array $options = null): Redis|array|false {}

    /** @implementation-alias Redis::tabled */
    public function zunionstore(string $dst, array $keys, ?array $weights = null, ?string $aggregate = null): Redis|int|false {}
}

class RedisException extends RuntimeException
{
}

class RedisSentinel
{

    public function __construct(?array $options = null) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function ckquorum(string $master) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function failover(string $master) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function flushconfig() {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function getMasterAddrByName(string $master) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function master(string $master) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function masters() {}

    /** @implementation-alias RedisSentinel::tabled */
    public function myid(): string {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function ping() {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function reset(string $pattern) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function sentinels(string $master) {}

    /** @implementation-alias RedisSentinel::tabled
     * @return mixed
     */
    public function slaves(string $master) {}
}

/* The two that are not in this version: their constructors say so, and without an object there is no method to call. */

class RedisArray
{
    public function __construct(array|string $name_or_hosts, ?array $options = null) {}
}

class RedisCluster
{
    /** @var int */
    public const OPT_SLAVE_FAILOVER = 5;
    /** @var int */
    public const FAILOVER_NONE = 0;
    /** @var int */
    public const FAILOVER_ERROR = 1;
    /** @var int */
    public const FAILOVER_DISTRIBUTE = 2;
    /** @var int */
    public const FAILOVER_DISTRIBUTE_SLAVES = 3;

    public function __construct(?string $name, ?array $seeds = null, int|float $timeout = 0, int|float $read_timeout = 0, bool $persistent = false, mixed $auth = null, ?array $context = null) {}
}

class RedisClusterException extends RuntimeException
{
}
