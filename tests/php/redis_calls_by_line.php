<?php
/* Calls of the class Redis, one a line: [object, method, argument …] in JSON, where "\x01…" stands for hexadecimal digits. Each is
 * answered with a line: its result or exception, and getLastError(). The object "cache" is a Leveret\Cache. */

$objects = [];

function meant(mixed $value): mixed
{
    if (is_array($value)) {
        return array_map('meant', $value);
    }
    return is_string($value) && str_starts_with($value, "\x01") ? hex2bin(substr($value, 1)) : $value;
}

function told(mixed $value): mixed
{
    if (is_array($value)) {
        return array_map('told', $value);
    }
    if (is_object($value)) {
        return ['object' => get_class($value)];
    }
    if (is_float($value)) {
        return ['float' => (string) $value];
    }
    return is_string($value) && !preg_match('//u', $value) ? "\x01" . bin2hex($value) : $value;
}

set_error_handler(function (int $level, string $text): bool {
    $GLOBALS['warnings'][] = $text;
    return true;
});

while (($line = fgets(STDIN)) !== false) {
    [$name, $method, $arguments] = json_decode($line, true);
    $arguments = meant($arguments);
    $warnings = [];
    try {
        if ($method === 'new') {
            unset($objects[$name]);
            $objects[$name] = $name === 'cache' ? new Leveret\Cache(...$arguments) : new Redis(...$arguments);
            $answer = ['new' => true];
        } else {
            $answer = ['gave' => told($objects[$name]->$method(...$arguments))];
        }
    } catch (Throwable $thrown) {
        $answer = ['threw' => get_class($thrown), 'text' => $thrown->getMessage()];
    }
    $answer['warned'] = $warnings;
    try {
        $object = $objects[$name] ?? null;
        $answer['error'] = $object instanceof Redis ? $object->getLastError() : null;
    } catch (RedisException $thrown) {
        // It has no server.
        $answer['error'] = null;
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}
