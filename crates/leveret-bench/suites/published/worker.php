<?php
/*
 * One side as a process that lives through all rounds of a row: php worker.php SIDE
 *
 * SIDE is originals or leveret. It reads one JSON command a line and answers each with one JSON line: {"do": "prepare", "workload", "size",
 * "programs"} starts servers, and {"do": "measure"} runs the script, or asks for the page. demo/seed004/jobs.php does it, and compares.
 */
require dirname(__DIR__, 4) . '/demo/seed004/jobs.php';

function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}

$side = $argv[1];
if (extension_loaded('leveret') !== ($side === 'leveret') || !class_exists('Redis') || !class_exists('Memcached')) {
    fail('this is not the provider that was to be measured');
}

/** PHP with the settings that this process has. */
function own_words(): array
{
    $words = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
    return array_slice($words, 0, array_search($GLOBALS['argv'][0], $words, true));
}

function servers(string $side, array $programs): array
{
    $user = fileowner('/proc/self') === 0 ? ['-u', 'root'] : [];
    return match ($side) {
        'leveret' => [[$programs['leveret'], 'serve', '-l', '127.0.0.1', '-p', 'MEMCACHED', '--redis', 'REDIS', '--dir', ini_get('leveret.dir'), '--arena', 'published', ...$user]],
        'originals' => [
            [$programs['redis'], '--bind', '127.0.0.1', '--port', 'REDIS', '--save', '', '--appendonly', 'no', '--dir', getcwd()],
            [$programs['memcached'], '-l', '127.0.0.1', '-p', 'MEMCACHED', '-U', '0', ...$user],
        ],
    };
}

$seed = null;
$given = [];
while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    if ($command['do'] === 'prepare') {
        $given = $command;
        $seed = new Seed004(getcwd(), own_words(), servers($side, $given['programs']), $given['size']['calls']);
        // All that comes after reads what this has stored.
        $seed->script('script');
        $answer = ['ready' => true];
    } else {
        [$name, $calls] = [$given['workload'], $given['size']['calls']];
        $is_script = $name === 'script' || $name === 'connections';
        $answer = ['figure' => $is_script ? $seed->script($name) : $seed->page($name, $calls), 'asked' => $calls, 'right' => $calls];
    }
    echo json_encode($answer), "\n";
}
$seed?->end();
