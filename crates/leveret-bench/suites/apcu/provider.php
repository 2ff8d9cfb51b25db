<?php
/** Each script of this benchmark says first whose apcu_* functions it is going to measure. */
function assert_provider(string $side): void
{
    if (extension_loaded('leveret') !== ($side === 'leveret')) {
        fail($side === 'leveret' ? 'the extension leveret is not loaded' : 'the extension leveret is loaded, so this is not the peer');
    }
    if (!function_exists('apcu_fetch') || !apcu_enabled()) {
        fail('apcu_* is not there, or apc.enable_cli is off');
    }
}

function fail(string $why): never
{
    fwrite(STDERR, "bench: $why\n");
    exit(70);
}
