<?php
/* conversation SEED CALLS: random calls of apcu_* and APCUIterator, each with what it answered, one line a call, as JSON. The same seed
 * makes the same calls with both providers. Each line also has by how much the call has
 * changed the counters of apcu_cache_info(). Times, sizes and hits of an item are left out, because they differ between providers.
 */
[, $seed, $calls] = $argv;
mt_srand((int) $seed);

final class Node
{
    public mixed $next = null;
    protected array $list = [1, 'two'];
    private string $hidden = "nul\0byte";
}

final class Own
{
    public function __construct(public mixed $value = null)
    {
    }

    public function __serialize(): array
    {
        return ['value' => $this->value, 'more' => true];
    }

    public function __unserialize(array $data): void
    {
        $this->value = $data['value'];
    }
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';
}

function one_of(array $choices): mixed
{
    return $choices[mt_rand(0, count($choices) - 1)];
}

function some(callable $make, int $most): array
{
    $made = [];
    for ($left = mt_rand(0, $most); $left > 0; $left--) {
        $made[] = $make();
    }
    return $made;
}

/* Few, so that the calls meet each other's items. */
function any_key(): string
{
    return mt_rand(0, 40) ? one_of(['a', 'b', 'c', 'with space', '0', '-1', '007', '1.5', '', "nul\0", 'ä', 'long']) : str_repeat('k', mt_rand(100, 3000));
}

function no_key(): mixed
{
    return one_of([null, 5, 1.5, true, [], new stdClass, [any_key(), 3, null, [1]]]);
}

function any_value(int $depth = 0): mixed
{
    switch (mt_rand(0, $depth < 3 ? 12 : 6)) {
        case 0:
            return mt_rand(-5, 5);
        case 1:
            return one_of([PHP_INT_MAX, PHP_INT_MIN, -0.0, INF, 1e-308, 1.5, 0.1 + 0.2]);
        case 2:
            return one_of([null, true, false, '', '0']);
        case 3:
            return (string) mt_rand(-20, 20);
        case 4:
            return str_repeat(chr(mt_rand(0, 255)), mt_rand(0, 300));
        case 5:
            return one_of(Suit::cases());
        case 6:
            return [];
        case 7:
            $shared = any_value($depth + 1);
            return [&$shared, &$shared, 'third' => $shared];
        case 8:
            $node = new Node;
            $node->next = mt_rand(0, 1) ? $node : any_value($depth + 1);
            return $node;
        case 9:
            return new Own(any_value($depth + 1));
        case 10:
            return new ArrayObject([any_value($depth + 1)]);
        default:
            return array_combine($keys = array_unique([any_key(), mt_rand(-3, 3)]), array_map(fn () => any_value($depth + 1), $keys));
    }
}

function pairs(): array
{
    $pairs = [];
    foreach (some(any_key(...), 4) as $key) {
        $pairs[$key] = any_value();
    }
    return $pairs;
}

/* PHP has no string keys that look like integers, but APCu makes such: here both are strings. */
function with_text_keys(mixed $answer): mixed
{
    $pairs = [];
    foreach (is_array($answer) ? $answer : [] as $key => $value) {
        $pairs["key $key"] = $value;
    }
    return is_array($answer) ? $pairs : $answer;
}

function any_call(): array
{
    $key = any_key();
    $keys = some(fn () => mt_rand(0, 9) ? any_key() : no_key(), 5);
    $step = one_of([1, 2, -1, 0, PHP_INT_MAX, PHP_INT_MIN]);
    $ttl = one_of([0, 0, 0, 300, '400', 500.0]);
    $success = 'not told';
    switch (mt_rand(0, 18)) {
        case 0:
        case 1:
        case 2:
            return ["store $key", apcu_store($key, any_value(), $ttl)];
        case 3:
            return ["add $key", apcu_add($key, any_value(), $ttl)];
        case 4:
        case 5:
        case 6:
            return ["fetch $key", apcu_fetch($key, $success), $success];
        case 7:
            return ['fetch many', with_text_keys(apcu_fetch($keys, $success)), $success];
        case 8:
            return ["exists $key", apcu_exists($key)];
        case 9:
            return ['exist many', with_text_keys(apcu_exists($keys))];
        case 10:
            return ["inc $key by $step", apcu_inc($key, $step, $success, $ttl), $success];
        case 11:
            return ["dec $key by $step", apcu_dec($key, $step, $success), $success];
        case 12:
            return ["cas $key", apcu_cas($key, mt_rand(-5, 5), mt_rand(-5, 5))];
        case 13:
            return ["delete $key", apcu_delete($key)];
        case 14:
            return ['delete many', apcu_delete($keys)];
        case 15:
            return mt_rand(0, 1) ? ['store many', apcu_store(pairs(), null, $ttl)] : ['add many', apcu_add(pairs())];
        case 16:
            return ["entry $key", apcu_entry($key, any_callback(any_value()), $ttl)];
        case 17:
            $wrong = no_key();
            $function = one_of(['apcu_fetch', 'apcu_exists', 'apcu_delete', 'apcu_inc', 'apcu_store', 'apcu_add']);
            return ["$function of " . gettype($wrong), with_text_keys($function($wrong, 1))];
        default:
            return any_walk($key);
    }
}

function any_callback(mixed $value): callable
{
    $kind = mt_rand(0, 4);
    return fn (string $key) => match ($kind) {
        0 => throw new Exception("no value for $key"),
        1 => [apcu_fetch('a'), apcu_store('b', 'from inside'), $key],
        default => $value,
    };
}

function any_walk(string $key): array
{
    switch (mt_rand(0, 3)) {
        case 0:
            return ['walk', items(new APCUIterator(one_of([null, '/a/', '/^[0-9-]+$/', ['a', 'b', 'absent'], []]), APC_ITER_ALL, mt_rand(1, 5)))];
        case 1:
            return ['delete what a walk finds', apcu_delete(new APCUIterator(one_of(['/long/', '/ /', [$key]]))), apcu_cache_info(true)['num_entries']];
        case 2:
            $about = apcu_key_info(mt_rand(0, 4) ? $key : no_key());
            return ["about $key", array_keys($about ?? []), $about['ttl'] ?? null];
        default:
            return mt_rand(0, 9) ? ['count', apcu_cache_info(true)['num_entries']] : ['clear', apcu_clear_cache()];
    }
}

function items(APCUIterator $walk): array
{
    $items = [];
    foreach ($walk as $key => $item) {
        $items["key $key"] = [$item['type'], $item['key'], $item['value'], $item['ttl'], array_keys($item)];
    }
    ksort($items);
    return [$items, $walk->getTotalCount()];
}

$said = [];
set_error_handler(function (int $level, string $message) use (&$said) {
    $said[] = $message;
    return true;
});
function counters(): array
{
    ['num_hits' => $hits, 'num_misses' => $misses, 'num_inserts' => $inserts, 'num_entries' => $entries] = apcu_cache_info(true);
    return [$hits, $misses, $inserts, $entries];
}

for ($call = 0; $call < $calls; $call++) {
    $said = [];
    $before = counters();
    try {
        [$words, $answer] = [($told = any_call())[0], serialize(array_slice($told, 1))];
    } catch (Throwable $thrown) {
        [$words, $answer] = ['threw', get_class($thrown) . ': ' . $thrown->getMessage()];
    }
    $counted = array_map(fn ($after, $before) => $after - $before, counters(), $before);
    echo json_encode([substr($words, 0, 60), $answer, $said, $counted], JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES), "\n";
}
