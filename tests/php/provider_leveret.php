<?php
// Prepended to each script for our apcu_*: it fails if another extension provides them.
if (!extension_loaded('leveret')) {
    fwrite(fopen('php://stderr', 'w'), "the provider is not leveret\n");
    exit(97);
}
