<?php
/* Redis without a module: a command and its answer. Charts of memory ask for no speed of a client. */

/** @return string|bool a value, whether it was done, or false where there is none */
function redis($stream, string ...$words): string|bool
{
    $request = '*' . count($words) . "\r\n";
    foreach ($words as $word) {
        $request .= '$' . strlen($word) . "\r\n$word\r\n";
    }
    fwrite($stream, $request);
    $line = rtrim((string) fgets($stream));
    if ($line === '+OK') {
        return true;
    }
    if ($line === '$-1') {
        return false;
    }
    if ($line === '' || $line[0] !== '$') {
        trigger_error("redis: $line");
        return false;
    }
    return substr(stream_get_contents($stream, (int) substr($line, 1) + 2), 0, -2);
}
