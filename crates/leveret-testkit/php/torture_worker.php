<?php
/*
 * One PHP process of the torture. Arguments: folder, slot, seed. The rules are those of the Rust worker (own.rs, shared.rs) and so
 * are the bytes of the ledger (oracle.rs): own keys are judged by what was acknowledged, shared values describe themselves.
 * Exit codes: 0 told to stop, 3 something was read that cannot be.
 */
declare(strict_types=1);

const KEYS = 100;
const GONE = 0;
const THERE = 1;
const NEVER = 0xFFFFFFFF;

function lie(string $what): never
{
    fwrite(STDERR, "PHP: $what\n");
    exit(3);
}

if (!extension_loaded('leveret')) {
    lie('the extension leveret is not loaded');
}
if ((new ReflectionFunction('apcu_fetch'))->getExtensionName() !== 'apcu' || !apcu_enabled()) {
    lie('apcu_* is not there or not enabled');
}
set_error_handler(static fn (int $level, string $text): bool => lie("warning: $text"));
[, $folder, $slot, $seed] = $argv;
$slot = (int) $slot;
mt_srand((int) $seed);
// Behind the killer, who would else starve among so many.
proc_nice(5);

/** The arena's clock: seconds since boot. Machines that were never suspended show the same on the monotonic clock. */
function now(): int
{
    return intdiv(hrtime(true), 1_000_000_000);
}

/* --- values that describe themselves: values.rs --- */

function frame(string $key, int $writer, int $counter, int $len): string
{
    static $pattern = null;
    $pattern ??= str_repeat('abcdefghijklmnopqrstuvw', 20_000);
    $body = "LEV $writer $counter $len $key\n" . substr($pattern, ($counter % 23 * 7 + $writer % 23) % 23, $len);
    return $body . sprintf('%08x', crc32($body));
}

/** Writers and counters of a value's frames. */
function frames(string $key, mixed $value): array
{
    if (!is_string($value) || $value === '') {
        lie("$key holds " . get_debug_type($value));
    }
    $found = [];
    for ($at = 0; $at < strlen($value); $at = $end + 8) {
        if (!preg_match('/\GLEV (\d+) (\d+) (\d+) ([^\n]*)\n/', $value, $match, 0, $at)) {
            lie("torn value under $key at byte $at: " . substr(addcslashes($value, "\0..\37"), 0, 200));
        }
        $end = $at + strlen($match[0]) + (int) $match[3];
        if (substr($value, $end, 8) !== sprintf('%08x', crc32(substr($value, $at, $end - $at)))) {
            lie("torn value under $key at byte $at: the checksum is wrong");
        }
        if ($match[4] !== $key) {
            lie("foreign value under $key: it was stored under $match[4]");
        }
        $found[] = [(int) $match[1], (int) $match[2]];
    }
    return $found;
}

/* --- the ledger: oracle.rs --- */

$ledger = fopen("$folder/ledger", 'r+b');
stream_set_write_buffer($ledger, 0);
stream_set_read_buffer($ledger, 0);
$base = 4096 + $slot * 16384;

function words(int $offset, int $count): array
{
    global $ledger;
    fseek($ledger, $offset);
    return array_values(unpack("P$count", fread($ledger, 8 * $count)));
}

function put(int $offset, int ...$words): void
{
    global $ledger;
    fseek($ledger, $offset);
    fwrite($ledger, pack('P*', ...$words));
}

final class Version
{
    public function __construct(public int $counter, public int $kind, public int $deadline)
    {
    }

    public function words(): array
    {
        return [$this->counter, $this->kind | $this->deadline << 32];
    }

    public static function of(int $counter, int $word): self
    {
        return new self($counter, $word & 0xFFFFFFFF, $word >> 32 & 0xFFFFFFFF);
    }
}

/** One own key: what was begun, what was acknowledged. */
final class Own
{
    public string $name;
    public Version $intent;
    public Version $acked;
    public int $flushes;
    public int $next;
    private int $at;

    public function __construct(int $slot, public int $number, int $base)
    {
        $this->name = $this->isArray() ? "php:$slot:$number" : "own:$slot:$number";
        $this->at = $base + 4096 + 64 * $number;
        [$a, $b, $c, $d, $this->flushes] = words($this->at, 5);
        $this->intent = Version::of($a, $b);
        $this->acked = Version::of($c, $d);
        $this->next = max($a, $c) + 1;
    }

    public function isCounter(): bool
    {
        return $this->number < 10;
    }

    public function isArray(): bool
    {
        return $this->number >= 80;
    }

    public function begin(Version $intent): void
    {
        $this->intent = $intent;
        $this->next = max($this->next, $intent->counter + 1);
        put($this->at, ...$intent->words());
    }

    public function close(Version $version): void
    {
        if ($this->acked != $version) {
            $this->acked = $version;
            [$this->flushes] = words(0, 1);
            put($this->at + 16, ...[...$version->words(), $this->flushes]);
        }
        if ($this->intent != $version) {
            $this->intent = $version;
            put($this->at, ...$version->words());
        }
    }

    /** Reads the key and judges what is seen, as oracle.rs does. */
    public function check(): void
    {
        [, $flushed] = words(0, 2);
        $now = now();
        $value = apcu_fetch($this->name, $hit);
        $open = $this->intent->counter > $this->acked->counter;
        if (!$hit) {
            $open && $this->close(new Version($this->intent->counter, GONE, 0));
            return;
        }
        $counter = $this->counterOf($value);
        $allowed = static fn (Version $version): bool => $version->kind === THERE && $version->counter === $counter;
        if ($open && $allowed($this->intent)) {
            $this->close($this->intent);
        } elseif (!$allowed($this->acked)) {
            lie("{$this->name}: version $counter was read; " . json_encode($this));
        } elseif ($flushed > $this->flushes) {
            lie("{$this->name}: version $counter survived flush $flushed; " . json_encode($this));
        } elseif ($this->acked->deadline <= $now) {
            lie("{$this->name}: version $counter is past its deadline, at $now; " . json_encode($this));
        } elseif ($open) {
            $this->close($this->acked);
        }
    }

    private function counterOf(mixed $value): int
    {
        if ($this->isCounter()) {
            return is_int($value) ? $value : lie("counter {$this->name} holds " . get_debug_type($value));
        }
        if ($this->isArray()) {
            $is_whole = is_array($value) && $value['key'] === $this->name && $value['rows'] === rows($value['counter']);
            return $is_whole ? $value['counter'] : lie("torn array under {$this->name}: " . substr(serialize($value), 0, 300));
        }
        return frames($this->name, $value)[0][1];
    }

    public function set(): void
    {
        global $slot, $large_max;
        $len = match (true) {
            $this->number >= 20 && $this->number < 24 => mt_rand(20_000, $large_max),
            mt_rand(0, 9) === 0 => mt_rand(0, 20_000),
            default => mt_rand(0, 700),
        };
        $ttl = mt_rand(0, 4) === 0 ? mt_rand(1, 3) : 0;
        // The end counts from a moment inside the call, which may come late: until the answer no end is known.
        $version = new Version($this->next, THERE, NEVER);
        $this->begin($version);
        $value = match (true) {
            $this->isCounter() => $version->counter,
            $this->isArray() => ['key' => $this->name, 'counter' => $version->counter, 'rows' => rows($version->counter)],
            default => frame($this->name, $slot, $version->counter, $len),
        };
        $stored = apcu_store($this->name, $value, $ttl);
        if ($ttl !== 0) {
            // Dead when older than its ttl, so one second later than elsewhere; and both clocks are cut to seconds.
            $version = new Version($version->counter, THERE, now() + $ttl + 2);
        }
        $this->finish($stored, $version);
    }

    public function delete(): void
    {
        $version = new Version($this->next, GONE, 0);
        $was_gone = $this->acked->kind === GONE;
        $this->begin($version);
        if (apcu_delete($this->name) && $was_gone) {
            lie("delete found {$this->name}, which is gone since operation {$this->acked->counter}");
        }
        $this->close($version);
    }

    public function count(): void
    {
        if ($this->acked->kind === GONE) {
            $this->set();
            return;
        }
        $old = $this->acked->counter;
        $version = new Version($old + 1, THERE, NEVER);
        $this->begin($version);
        // False: it was forgotten, or has died; then it is closed by the next look.
        if (apcu_cas($this->name, $old, $old + 1)) {
            // The deadline stays.
            $this->close(new Version($old + 1, THERE, $this->acked->deadline));
        } else {
            $this->close($this->acked);
        }
    }

    private function finish(bool $stored, Version $version): void
    {
        global $refused;
        if ($stored) {
            $this->close($version);
        } else {
            $refused++;
            $this->close($this->acked);
        }
    }
}

/** The rows that belong to a counter: an array that the decoded-value cache keeps after its second fetch. */
function rows(int $counter): array
{
    $rows = [];
    for ($row = 0; $row < $counter % 20; $row++) {
        $rows[] = ['id' => $counter + $row, 'name' => "row $row of $counter"];
    }
    return $rows;
}

/* --- shared keys: shared.rs --- */

$me = mt_rand() << 20 | getmypid();
$marks = [];

function shared_value(Leveret\Cache $cache): void
{
    global $me;
    $key = 'shared:value:' . mt_rand(0, 299);
    $value = frame($key, $me, mt_rand(0, 999), mt_rand(0, 400));
    $ttl = mt_rand(0, 3) === 0 ? mt_rand(1, 3) : null;
    switch (mt_rand(0, 9)) {
        case 0: $cache->set($key, $value, $ttl); break;
        case 1: apcu_store($key, $value, $ttl ?? 0); break;
        case 2: $cache->add($key, $value, $ttl); break;
        case 3: $cache->replace($key, $value, $ttl); break;
        case 4: $cache->delete($key); break;
        case 5: $cache->touch($key, $ttl); break;
        case 6:
            foreach ($cache->getMultiple([$key, 'shared:value:1', 'shared:value:2']) as $name => $got) {
                $got === null || frames($name, $got);
            }
            break;
        case 7:
            $got = apcu_fetch($key, $hit);
            $hit && frames($key, $got);
            break;
        default:
            $got = $cache->get($key);
            $got === null || frames($key, $got);
    }
}

/** A value that only grows, by cas: of all who try, one succeeds. */
function shared_chain(Leveret\Cache $cache): void
{
    global $me, $marks;
    $key = 'shared:chain:' . mt_rand(0, 15);
    $item = $cache->getItem($key);
    if ($item === null) {
        $cache->add($key, frame($key, $me, mt_rand(0, 0x7FFFFFFF) << 32, 20));
        return;
    }
    [$writer, $counter] = frames($key, $item->value)[0];
    grows($key, $counter, $writer);
    if ($cache->cas($key, $item->cas, frame($key, $me, $counter + 1, mt_rand(0, 300)))) {
        grows($key, $counter + 1, $me);
    }
}

function grows(string $key, int $counter, int $writer): void
{
    global $marks;
    [$life, $height] = [$counter >> 32, $counter & 0xFFFFFFFF];
    $mark = $marks[$key] ?? null;
    if (isset($marks["$key before"][$life])) {
        lie("$key has its earlier life $life again");
    }
    if ($mark !== null && $mark[0] === $life && ($height < $mark[1] || ($height === $mark[1] && $writer !== $mark[2]))) {
        lie("$key was at " . json_encode($mark) . " and is at [$life,$height,$writer]: an update was lost");
    }
    if ($mark !== null && $mark[0] !== $life) {
        $marks["$key before"][$mark[0]] = true;
    }
    $marks[$key] = [$life, $height, $writer];
}

function shared_entry(): void
{
    global $me;
    $key = 'php:entry:' . mt_rand(0, 7);
    frames($key, apcu_entry($key, static fn (string $key): string => frame($key, $me, 1, mt_rand(0, 100)), 1));
}

/* --- the work --- */

$cache = new Leveret\Cache('apcu');
$large_max = min(400_000, intdiv($cache->stats()['memory_limit'], 32));
$own = [];
for ($number = 0; $number < KEYS; $number++) {
    // Appended keys (10 to 19) are Rust's: apcu_* cannot append.
    if ($number < 10 || $number >= 20) {
        $own[] = new Own($slot, $number, $base);
    }
}
[$operations, $refused] = words($base, 2);
$latencies = words($base + 64, 64);
while (true) {
    $begun = hrtime(true);
    if (mt_rand(0, 9) < 6) {
        $key = $own[mt_rand(0, count($own) - 1)];
        $key->check();
        match (mt_rand(0, 9)) {
            0, 1, 2, 3 => null,
            4 => $key->delete(),
            default => $key->isCounter() ? $key->count() : $key->set(),
        };
        $latencies[(int) log(hrtime(true) - $begun, 2) + 1]++;
    } else {
        try {
            match (mt_rand(0, 9)) {
                0, 1, 2 => shared_chain($cache),
                3 => shared_entry(),
                default => shared_value($cache),
            };
        } catch (Leveret\Exception) {
            $refused++;
        }
    }
    if (++$operations % 32 === 0 || hrtime(true) - $begun > 2_000_000) {
        put($base, $operations, $refused);
        put($base + 64, ...$latencies);
        if (words(16, 1)[0] !== 0) {
            exit(0);
        }
    }
}
