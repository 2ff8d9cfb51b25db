<?php
// Prepended to each script that is to run on the original php-redis.
if (extension_loaded('leveret') || !extension_loaded('redis')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not the original php-redis\n");
    exit(97);
}
