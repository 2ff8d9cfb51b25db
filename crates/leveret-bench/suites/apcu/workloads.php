<?php
/*
 * The workloads in which one process calls and is timed.
 *
 * The rule for all: the calls inside the clock assign into an array, and after the clock has stopped the array is compared with
 * what must be there. Between two batches another process overwrites the keys, so each batch must see new values.
 */

abstract class Workload
{
    private Helper $writer;

    /** Grows with each batch. */
    protected int $generation = 0;

    /** The answers of the last batch. */
    protected array $out = [];

    /** Makes the calls, with nothing else inside the clock, and leaves their answers in $this->out. Gives the time in ns. */
    abstract protected function calls(): int;

    /** How many calls calls() makes. For many keys in one call: how many keys. */
    abstract protected function count(): int;

    /** Runs in another process: stores the values of this generation. */
    abstract protected function write(int $generation): void;

    /** What calls() must have put into $this->out. */
    abstract protected function expected(int $generation): array;

    /** What counts as a hit among the answers. */
    protected function isHit(mixed $answer): bool
    {
        return $answer !== false;
    }

    /** Room for the answers, made before the clock starts. */
    protected function room(): array
    {
        return array_fill(0, $this->size['calls'], null);
    }

    public function __construct(protected readonly array $size)
    {
        $this->setUp();
        $this->writer = new Helper(function (array $command) {
            $this->write($command['generation']);
        });
    }

    protected function setUp(): void
    {
    }

    public function measure(array $command): array
    {
        $sum = ['ns' => 0, 'calls' => 0, 'hits' => 0, 'wrong' => 0];
        for ($batch = 0; $batch < ($this->size['batches'] ?? 1); $batch++) {
            $this->writer->ask(['generation' => ++$this->generation]);
            $this->out = [];
            $sum['ns'] += $this->calls();
            $sum['calls'] += $this->count();
            $this->verify($this->expected($this->generation), $sum);
        }
        return $sum;
    }

    private function verify(array $expected, array &$sum): void
    {
        foreach ($this->out as $i => $answer) {
            $sum['hits'] += $this->isHit($answer);
            $sum['wrong'] += $answer !== $expected[$i];
        }
    }
}

/** Fetches each of the keys in turn. */
abstract class FetchKeys extends Workload
{
    /** One for each call. */
    protected array $keys = [];

    abstract protected function value(int $number, int $generation): mixed;

    /** Keys are made in the order of the calls, so that walking over the list costs both sides as little as it can. */
    protected function setUp(): void
    {
        for ($i = 0; $i < $this->size['calls']; $i++) {
            $this->keys[] = md5((string) ($i % $this->size['keys']));
        }
    }

    protected function calls(): int
    {
        $out = $this->room();
        $keys = $this->keys;
        $start = hrtime(true);
        foreach ($keys as $i => $key) {
            $out[$i] = apcu_fetch($key);
        }
        $ns = hrtime(true) - $start;
        $this->out = $out;
        return $ns;
    }

    protected function count(): int
    {
        return count($this->keys);
    }

    protected function write(int $generation): void
    {
        for ($number = 0; $number < $this->size['keys']; $number++) {
            apcu_store(md5((string) $number), $this->value($number, $generation)) || fail('apcu_store refused');
        }
    }

    protected function expected(int $generation): array
    {
        $expected = [];
        for ($i = 0; $i < $this->size['calls']; $i++) {
            $expected[] = $this->value($i % $this->size['keys'], $generation);
        }
        return $expected;
    }
}

/** 10 bytes. With one key: the hot key. */
final class FetchShort extends FetchKeys
{
    protected function value(int $number, int $generation): string
    {
        return sprintf('%06d%04d', $number, $generation);
    }
}

/** The same keys as md5() of a number, but in an order that has nothing to do with the order in which they were stored. */
final class FetchShuffled extends FetchKeys
{
    private array $order;

    protected function setUp(): void
    {
        mt_srand(20211121);
        $this->order = range(0, $this->size['keys'] - 1);
        shuffle($this->order);
        foreach ($this->order as $number) {
            $this->keys[] = md5((string) $number);
        }
    }

    protected function value(int $number, int $generation): string
    {
        return sprintf('%06d%04d', $number, $generation);
    }

    protected function expected(int $generation): array
    {
        return array_map(fn ($number) => $this->value($number, $generation), $this->order);
    }
}

final class FetchFourFields extends FetchKeys
{
    protected function value(int $number, int $generation): array
    {
        return ['id' => $number, 'name' => "user $number", 'score' => $generation + 0.5, 'active' => $generation % 2 === 0];
    }
}

final class FetchHundredKilobytes extends FetchKeys
{
    protected function value(int $number, int $generation): string
    {
        return str_pad("$number $generation ", 100_000, "$generation-");
    }
}

/** The other process stores each key and deletes it again. */
final class FetchMiss extends FetchKeys
{
    protected function value(int $number, int $generation): bool
    {
        return false;
    }

    protected function write(int $generation): void
    {
        for ($number = 0; $number < $this->size['keys']; $number++) {
            apcu_store(md5((string) $number), $generation) && apcu_delete(md5((string) $number)) || fail('store and delete failed');
        }
    }
}

/** Every other key is there, and which of them changes with each generation. */
final class Exists extends FetchKeys
{
    protected function value(int $number, int $generation): bool
    {
        return ($number + $generation) % 2 === 0;
    }

    protected function write(int $generation): void
    {
        for ($number = 0; $number < $this->size['keys']; $number++) {
            $this->value($number, $generation) ? apcu_store(md5((string) $number), $generation) : apcu_delete(md5((string) $number));
        }
    }

    protected function calls(): int
    {
        $out = $this->room();
        $keys = $this->keys;
        $start = hrtime(true);
        foreach ($keys as $i => $key) {
            $out[$i] = apcu_exists($key);
        }
        $ns = hrtime(true) - $start;
        $this->out = $out;
        return $ns;
    }
}

/** Counts up from where the other process set the counter. */
final class Increment extends Workload
{
    protected function write(int $generation): void
    {
        apcu_store('counter', $generation * 1_000_000) || fail('apcu_store refused');
    }

    protected function calls(): int
    {
        $out = $this->room();
        $n = $this->size['calls'];
        $start = hrtime(true);
        for ($i = 0; $i < $n; $i++) {
            $out[$i] = apcu_inc('counter');
        }
        $ns = hrtime(true) - $start;
        $this->out = $out;
        return $ns;
    }

    protected function count(): int
    {
        return $this->size['calls'];
    }

    protected function expected(int $generation): array
    {
        return range($generation * 1_000_000 + 1, $generation * 1_000_000 + $this->size['calls']);
    }
}

/** One call for fifty keys. */
final class FetchFifty extends Workload
{
    private array $groups;

    protected function setUp(): void
    {
        for ($i = 0; $i < $this->size['calls']; $i++) {
            $this->groups[] = array_map('md5', range($i * 50, $i * 50 + 49));
        }
    }

    protected function write(int $generation): void
    {
        foreach ($this->expected($generation) as $group) {
            apcu_store($group) === [] || fail('apcu_store refused');
        }
    }

    protected function calls(): int
    {
        $out = $this->room();
        $groups = $this->groups;
        $start = hrtime(true);
        foreach ($groups as $i => $keys) {
            $out[$i] = apcu_fetch($keys);
        }
        $ns = hrtime(true) - $start;
        $this->out = $out;
        return $ns;
    }

    protected function count(): int
    {
        return count($this->groups) * 50;
    }

    protected function expected(int $generation): array
    {
        return array_map(fn ($group) => array_map(fn ($key) => "$generation of $key", array_combine($group, $group)), $this->groups);
    }
}

/** A table of rows as an application would cache it. */
function thousand_rows(int $generation): array
{
    $rows = [];
    for ($i = 0; $i < 1000; $i++) {
        $rows[] = ['id' => $i, 'name' => "row $i of $generation", 'price' => $i / 8];
    }
    return $rows;
}

/** Each fetch is the first of its kind in a process: a new child, which has read another key before, so that it is attached. */
final class FirstFetch extends Workload
{
    protected function write(int $generation): void
    {
        apcu_store('rows', thousand_rows($generation)) && apcu_store('other', 1) || fail('apcu_store refused');
    }

    protected function calls(): int
    {
        $ns = 0;
        for ($i = 0; $i < $this->size['calls']; $i++) {
            $child = new Helper(function () {
                apcu_fetch('other');
                $start = hrtime(true);
                $out[] = apcu_fetch('rows');
                $ns = hrtime(true) - $start;
                return ['ns' => $ns, 'right' => $out[0] === thousand_rows($this->generation)];
            });
            $answer = $child->ask();
            $child->end();
            $ns += $answer['ns'];
            $this->out[$i] = $answer['right'];
        }
        return $ns;
    }

    protected function count(): int
    {
        return $this->size['calls'];
    }

    protected function expected(int $generation): array
    {
        return array_fill(0, $this->size['calls'], true);
    }
}

/** Fetches the table again and again, in pieces that fit into memory even if each answer is a copy of its own. */
final class FetchRows extends Workload
{
    private const PIECE = 20;

    protected function write(int $generation): void
    {
        apcu_store('rows', thousand_rows($generation)) || fail('apcu_store refused');
    }

    protected function calls(): int
    {
        $ns = 0;
        $right = thousand_rows($this->generation);
        for ($done = 0; $done < $this->size['calls']; $done += self::PIECE) {
            $out = array_fill(0, self::PIECE, null);
            $start = hrtime(true);
            for ($i = 0; $i < self::PIECE; $i++) {
                $out[$i] = apcu_fetch('rows');
            }
            $ns += hrtime(true) - $start;
            // Compared in full where it is another array in memory than the one before; the same one is known to be right.
            $before = null;
            foreach ($out as $rows) {
                $this->out[] = $rows === $before || $rows === $right;
                $before = $rows;
            }
        }
        return $ns;
    }

    protected function count(): int
    {
        return $this->size['calls'];
    }

    protected function expected(int $generation): array
    {
        return array_fill(0, $this->size['calls'], true);
    }
}

/** Stores many keys, into a cache that was emptied or over what it holds; afterwards every key is read back. */
final class Store extends Workload
{
    private array $pairs = [];

    protected function setUp(): void
    {
        mt_srand(20211121);
        $numbers = range(0, $this->size['calls'] - 1);
        shuffle($numbers);
        foreach ($numbers as $number) {
            $this->pairs[md5((string) $number)] = '';
        }
    }

    /** Another process empties the cache where that is asked for, and leaves something under some keys that must be gone afterwards. */
    protected function write(int $generation): void
    {
        $this->size['emptied'] && apcu_clear_cache();
        foreach (array_slice($this->pairs, 0, 100) as $key => $value) {
            apcu_store($key, 'old');
        }
    }

    private function value(string $key): string
    {
        return str_pad(substr($key, 0, 6) . sprintf('%04d', $this->generation), $this->size['bytes'], $key);
    }

    protected function calls(): int
    {
        $out = $this->room();
        foreach ($this->pairs as $key => &$value) {
            $value = $this->value($key);
        }
        unset($value);
        $pairs = $this->pairs;
        $i = 0;
        $start = hrtime(true);
        foreach ($pairs as $key => $value) {
            $out[$i++] = apcu_store($key, $value);
        }
        $ns = hrtime(true) - $start;
        $i = 0;
        foreach ($pairs as $key => $value) {
            $out[$i] = $out[$i] && apcu_fetch($key) === $value;
            $i++;
        }
        $this->out = $out;
        return $ns;
    }

    protected function count(): int
    {
        return count($this->pairs);
    }

    protected function expected(int $generation): array
    {
        return array_fill(0, $this->size['calls'], true);
    }
}
