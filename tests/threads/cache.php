<?php
/* Leveret\Cache: several arenas, cas loops, remember(), a callback that fails, and walks. */
require __DIR__ . '/thread.inc';

use Leveret\Cache;

const ROUNDS = 30;
$caches = [new Cache('one'), new Cache('two')];

if ($is_last) {
    foreach ($caches as $cache) {
        ensure($cache->get('cas') === $cache->get('counted'), 'cas() has lost ' . $cache->get('counted') - $cache->get('cas'));
        ensure($cache->get('computed') === 5, 'remember() computed ' . $cache->get('computed') . ' times');
    }
    return;
}

foreach ($caches as $number => $cache) {
    for ($round = 0; $round < ROUNDS; $round++) {
        $cache->add('cas', 0);
        do {
            $item = $cache->getItem('cas');
        } while (!$cache->cas('cas', $item->cas, $item->value + 1));
        $cache->increment('counted');

        $name = 'remembered/' . $round % 5;
        $value = $cache->remember($name, null, function () use ($cache, $name) {
            $cache->increment('computed');
            usleep(2000);
            return value_of($name, 3);
        });
        ensure(version_in($value, $name) === 3, 'another value than the computed one');

        $key = "$number/$thread";
        $cache->setMultiple([$key => value_of($key, $round), "$key/int" => $round, "$key/float" => $round / 3, "$key/null" => null]);
        $back = $cache->getMultiple([$key, "$key/int", "$key/float", "$key/null", "$key/none"], 'miss');
        ensure(version_in($back[$key], $key) === $round, 'not the newest version');
        ensure($back["$key/int"] === $round && $back["$key/float"] === $round / 3 && $back["$key/null"] === null && $back["$key/none"] === 'miss', 'another type');
    }
    try {
        $cache->remember("thrown/$thread", null, fn () => throw new DomainException('as meant'));
        ensure(false, 'the exception is lost');
    } catch (DomainException) {
    }
    ensure(count(array_filter(array_keys(iterator_to_array($cache)), fn ($key) => str_starts_with($key, 'remembered/'))) === 5, 'the walk has missed an item');
}
