<?php
/** Fills a cache with items of 20-byte keys and asks how many of them are there afterwards. */
final class Fill
{
    public function __construct(private readonly array $size)
    {
    }

    public function measure(array $command): array
    {
        for ($i = 0; $i < $this->size['items']; $i++) {
            apcu_store(self::key($i), self::value($i, $this->size['bytes']), 3600);
        }
        $sum = ['items' => $this->size['items'], 'hits' => 0, 'wrong' => 0];
        for ($i = 0; $i < $this->size['items']; $i++) {
            $value = apcu_fetch(self::key($i));
            $sum['hits'] += $value !== false;
            $sum['wrong'] += $value !== false && $value !== self::value($i, $this->size['bytes']);
        }
        return $sum;
    }

    public static function key(int $number): string
    {
        return sprintf('user:%015d', $number);
    }

    public static function value(int $number, int $bytes): string
    {
        return str_pad("value of $number ", $bytes, "$number,");
    }
}
