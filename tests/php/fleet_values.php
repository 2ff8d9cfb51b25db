<?php
// The values that a mixed fleet stores, by name. The same in each process.

class Plain
{
    public $open = 1;
    protected $kin = [1.5, null];
    private $own = 'own';
    public ?Plain $other = null;
}
class Careful
{
    public function __construct(public string $name = 'n') {}
    public function __serialize(): array
    {
        return ['n' => $this->name];
    }
    public function __unserialize(array $data): void
    {
        $this->name = $data['n'] . '!';
    }
}
class Sleeper
{
    public $kept = [1, 2];
    public $left = 'left';
    public function __sleep()
    {
        return ['kept'];
    }
    public function __wakeup()
    {
        $this->left = 'woken';
    }
}
enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';
}

/** Text of that many bytes: "same" is one letter, "words" shrinks to a third, "noise" not at all, "N" by about N percent. */
function text_of(string $kind, int $length): string
{
    $random = new Random\Randomizer(new Random\Engine\Xoshiro256StarStar($length));
    if ($kind === 'same') {
        return str_repeat('s', $length);
    }
    if ($kind === 'noise') {
        return $length ? $random->getBytes($length) : '';
    }
    if ($kind === 'words') {
        $words = ['hare ', 'rabbit ', "leveret\n", 'form ', 'field ', 'cache ', 'shared ', 'memory ', 'segment ', 'generation ', '1234 ', 'of ', 'the '];
        for ($text = ''; strlen($text) < $length;) {
            $text .= $words[$random->getInt(0, 12)] . ($random->getInt(0, 3) ? '' : $random->getInt(0, 99999) . ' ');
        }
        return substr($text, 0, $length);
    }
    for ($text = ''; strlen($text) < $length;) {
        $text .= $random->getBytes(1000 - 10 * (int) $kind) . str_repeat('s', 10 * (int) $kind);
    }
    return substr($text, 0, $length);
}

function tree(): array
{
    $tree = ['name' => 'root', 'children' => []];
    foreach ([1, 2] as $number) {
        $child = ['name' => "child $number"];
        $child['parent'] = &$tree;
        $tree['children'][] = &$child;
        unset($child);
    }
    return $tree;
}

function made(string $name): mixed
{
    if (preg_match('/^(same|words|noise|\d+) (\d+)$/', $name, $found)) {
        return text_of($found[1], (int) $found[2]);
    }
    if (preg_match('/^rows (\d+)$/', $name, $found)) {
        return array_map(fn($n) => ['id' => $n, 'name' => "name $n", 'price' => $n / 4, 'tags' => ['a', "t$n"]], range(1, (int) $found[1]));
    }
    if (preg_match('/^range (\d+)$/', $name, $found)) {
        return range(1, (int) $found[1]);
    }
    if (preg_match('/^json (.*)$/', $name, $found)) {
        return json_decode($found[1], true, flags: JSON_THROW_ON_ERROR);
    }
    if (preg_match('/^text (.*)$/s', $name, $found)) {
        return $found[1];
    }
    $object = new Plain();
    $twin = new Plain();
    $object->other = $twin;
    $twin->other = $object;
    $one = 1;
    return match ($name) {
        'PHP_INT_MAX' => PHP_INT_MAX,
        'PHP_INT_MIN' => PHP_INT_MIN,
        'INF' => INF,
        '-INF' => -INF,
        'NAN' => NAN,
        '-0.0' => -0.0,
        'third' => 1 / 3,
        'pi' => M_PI,
        'huge' => 1.7976931348623157e308,
        'tiny' => 5e-324,
        'digits' => 123456789.12345678,
        'e15' => 1e15,
        'e22' => -1.0E+22,
        'small' => 1.5e-7,
        'bytes' => implode(array_map(chr(...), range(0, 255))),
        'lines' => "a\r\nEND\r\nVALUE x 0 1\r\n",
        'utf8' => "grüße \u{1F407}",
        'broken utf8' => "gr\xfc\xdfe",
        'int keys' => ['5' => 'five', 'x' => 1, -3 => 'minus', '05' => 'not an int', '' => 'empty'],
        'references' => (function () use (&$one) { $a = [1]; $b = ['x' => &$a, 'y' => &$a, 'z' => &$one, 'w' => &$one]; return $b; })(),
        'tree' => tree(),
        'own reference' => (function () { $a = [1]; $a['me'] = &$a; return $a; })(),
        'deep' => array_reduce(range(1, 100), fn($in, $n) => [$n => $in], 'bottom'),
        'twins' => [$object, $twin, $object],
        'std' => (object) ['a' => 1, 'b' => (object) [], '5' => [null]],
        'careful' => [new Careful('x'), new Careful('y')],
        'sleeper' => new Sleeper(),
        'enum' => [Suit::Hearts, Suit::Spades, Suit::Hearts],
        'date' => new DateTimeImmutable('2026-11-22 17:00:00', new DateTimeZone('Europe/Vienna')),
        'arrayobject' => new ArrayObject(['a' => 1, 'b' => [2]]),
        'queue' => (function () { $q = new SplQueue(); $q[] = 1; $q[] = 'two'; return $q; })(),
        'closure' => fn() => 1,
        'closure inside' => ['a' => [fn() => 1]],
        default => throw new LogicException("no value '$name'"),
    };
}

/** Made once if that is costly; otherwise again, so that no cell sees another's change. */
function value(string $name): mixed
{
    static $texts = [];
    if (isset($texts[$name])) {
        return $texts[$name];
    }
    $value = made($name);
    if (is_string($value)) {
        $texts[$name] = $value;
    }
    return $value;
}
