--TEST--
Objects in the compact form whose class has changed, is missing or not allowed become what unserialize() makes of them
--INI--
apc.enable_cli=1
leveret.apcu_cli=shared
--FILE--
<?php
require __DIR__ . '/../start.inc';
$suit = 'enum Suit: string { case Hearts = "H"; case Spades = "S"; }';
$part = 'class Part { public $p = 1; }';
$row = 'class Row { public $id = 7; protected $name = "seven"; private $own = "own"; public Suit $suit = Suit::Spades; public ?Part $part = null; %s }';
// The same value in both forms.
foreach (['rows' => 'auto', 'text' => 'php'] as $key => $serializer) {
    echo other_php("$suit $part " . sprintf($row, '') . '$row = new Row(); $row->part = new Part();
        apcu_store("' . $key . '", ["rows" => [$row, new Row(), [new Part()]]]);', ['leveret.serializer' => $serializer]);
}
var_dump(str_contains(file_get_contents(glob("$arenas/*.arena")[0]), "rows\xCA\x02"));
$code = 'function shape($v) { ob_start(); var_dump($v); return preg_replace("/#\d+/", "", ob_get_clean()); }
function fetch($key) { try { return apcu_fetch($key); } catch (Throwable $e) { return get_class($e) . ": " . $e->getMessage(); } }
ini_set("error_log", "/dev/null"); set_error_handler(fn () => true);
foreach ([1, 2] as $time) {
    [$have, $want] = [shape(fetch("rows")), shape(fetch("text"))];
    echo $have === $want ? "alike " : "$have instead of $want ";
}
echo is_array(fetch("text")) ? "" : trim(shape(fetch("text"))), "\n";';
foreach ([
    'the same' => [$suit, $part, sprintf($row, '')],
    'autoloaded' => ["spl_autoload_register(function (\$class) { echo \"\$class \"; eval(['Suit' => '$suit', 'Part' => '$part', 'Row' => '" . addcslashes(sprintf($row, ''), "'") . "'][\$class]); });"],
    'none' => [],
    'no row' => [$suit, $part],
    'no part' => [$suit, sprintf($row, '')],
    'no case' => ['enum Suit: string { case Hearts = "H"; }', $part, str_replace('Spades', 'Hearts', sprintf($row, ''))],
    'no enumeration' => ['class Suit { const Spades = 1; }', $part, 'class Row { public $id, $suit, $part; }'],
    'another visibility' => [$suit, $part, 'class Row { private $id = 1; public $name = 2; protected $own = 3; public $suit; public $part; }'],
    'more and fewer' => [$suit, $part, '#[AllowDynamicProperties] class Row { public $id; public $new = "new"; public $suit; }'],
    'another type' => [$suit, $part, 'class Row { public string $id = ""; protected $name; private $own; public $suit; public $part; }'],
    'a wider type' => [$suit, $part, 'class Row { public float $id = 1; protected mixed $name; private ?string $own; public Suit|Part $suit; public iterable|Part|null $part; }'],
    'wakes' => [$suit, $part, sprintf($row, 'function __wakeup() { $this->id = "woken"; }')],
    'unserializes' => [$suit, $part, 'class Row { public $got; function __unserialize($data): void { $this->got = array_keys($data); } }'],
    'abstract' => [$suit, $part, sprintf("abstract $row", '')],
    'an internal parent' => [$suit, $part, 'class Row extends ArrayObject { public $id; protected $name; private $own; public $suit; public $part; }'],
    'a constant that throws' => [$suit, $part, 'class Row { public $id = Missing::A; protected $name; private $own; public $suit; public $part; }'],
    'not allowed' => [$suit, $part, sprintf($row, ''), 'leveret.allowed_classes' => 'Suit, Part'],
    'allowed' => [$suit, $part, sprintf($row, ''), 'leveret.allowed_classes' => 'SUIT,\Row, part'],
] as $name => $program) {
    $settings = array_filter($program, fn ($key) => is_string($key), ARRAY_FILTER_USE_KEY);
    echo "$name: ", other_php(implode("\n", array_diff_key($program, $settings)) . "\n$code", $settings + ['pcre.jit' => 0]);
}
--EXPECTF--
bool(true)
the same: alike alike 
autoloaded: %salike alike 
none: alike alike bool(false)
no row: alike alike 
no part: alike alike bool(false)
no case: alike alike bool(false)
no enumeration: alike alike bool(false)
another visibility: alike alike 
more and fewer: alike alike 
another type: alike alike bool(false)
a wider type: alike alike 
wakes: alike alike 
unserializes: alike alike 
abstract: alike alike bool(false)
an internal parent: alike alike bool(false)
a constant that throws: alike alike bool(false)
not allowed: alike alike 
allowed: alike alike 
