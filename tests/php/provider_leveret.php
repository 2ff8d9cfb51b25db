<?php
// Prepended to each script that is to run on our apcu_*: nothing is proved if another extension answered.
if (!extension_loaded('leveret')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not leveret\n");
    exit(97);
}
