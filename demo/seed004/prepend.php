<?php
// Comes before each file of the seed, none of which prints anything: at its end the last values are printed, and the seconds that it took.
(function (): void {
    $begin = hrtime(true);
    register_shutdown_function(function () use ($begin): void {
        $seconds = (hrtime(true) - $begin) / 1e9;
        echo json_encode(['seconds' => $seconds, 'values' => array_intersect_key($GLOBALS, ['r' => 0, 'm' => 0, 'f' => 0])]);
    });
})();
