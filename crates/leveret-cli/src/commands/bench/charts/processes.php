<?php
/*
 * One turn of one cache: php turn.php store|load TYPE KEYS ADDRESS FOLDER
 *
 * Prints {"seconds", "asked", "done", "right", "said"}. This process only starts others, of the same PHP with the same settings, and
 * looks at the clock. Each of them has one pass: nobody can remember what he has stored. Every key has another value in the second
 * pass, and every value is read back and compared.
 */
[, $what, $type, $count, $address] = $argv;
$pass = (int) ($argv[6] ?? -1);

final class Point
{
    public function __construct(public int $x, public string $name)
    {
    }
}

function value(string $type, int $number, int $pass): mixed
{
    $n = crc32("$number:$pass");
    return match ($type) {
        'string' => "string $n",
        'int' => $n,
        'float' => $n / 8, // exact in binary, so that no way of writing it down can be a little wrong
        'bool' => ($n & 1) === 1,
        'array' => ['number' => $n, 'list' => [1, 2, 3], 'color' => 'blue'],
        'object' => new Point($n, 'regular'),
    };
}

function is_same(mixed $got, mixed $want): bool
{
    return is_object($want) ? $got instanceof $want && $got == $want && $got->x === $want->x : $got === $want;
}

function begin(array $words): array
{
    // The same program, settings and all: up to its own name.
    $line = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
    $line = array_slice($line, 1, array_search('turn.php', $line, true));
    @unlink('pass.json');
    $begin = hrtime(true);
    $pid = pcntl_fork();
    if ($pid === 0) {
        pcntl_exec(PHP_BINARY, [...$line, ...$words]);
        exit(127);
    }
    pcntl_waitpid($pid, $status);
    $seconds = (hrtime(true) - $begin) / 1e9;
    if (!pcntl_wifexited($status) || pcntl_wexitstatus($status) !== 0) {
        $why = pcntl_wifsignaled($status) ? 'signal: ' . pcntl_wtermsig($status) : 'status ' . pcntl_wexitstatus($status);
        fwrite(STDERR, "the process of '$words[0]' ended with $why\n");
        exit(1);
    }
    return [$seconds, ...json_decode(file_get_contents('pass.json'), true, flags: JSON_THROW_ON_ERROR)];
}

if ($pass < 0) {
    $words = [$type, $count, $address, $argv[5]];
    [$seconds, $done, $said] = begin(['store', ...$words, '0']);
    [$seconds, $done, $more] = begin(['store', ...$words, '1']);
    [$load_seconds, $right, $most] = begin(['load', ...$words, '1']);
    echo json_encode(['seconds' => $what === 'store' ? $seconds : $load_seconds, 'asked' => (int) $count, 'done' => $done,
        'right' => $right, 'said' => $said ?? $more ?? $most]), "\n";
    exit(0);
}

$said = null;
set_error_handler(function (int $level, string $text) use (&$said): bool {
    $said ??= $level === E_DEPRECATED ? null : $text;
    return true;
});
$cache = null;
/*OPEN*/
$good = 0;
if ($what === 'store') {
    for ($i = 0; $i < (int) $count; $i++) {
        $key = md5((string) $i);
        $value = value($type, $i, $pass);
        if (/*SET*/) {
            $good++;
        }
    }
} else {
    for ($i = 0; $i < (int) $count; $i++) {
        $key = md5((string) $i);
        if (is_same(/*GET*/, value($type, $i, $pass))) {
            $good++;
        }
    }
}
file_put_contents('pass.json', json_encode([$good, $said]));
