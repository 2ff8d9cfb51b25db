<?php
// The four values of seed 001, by their keys there.
return ['type-1' => 100, 'type-2' => 'string', 'type-3' => [1, 2, 3], 'type-4' => ['type' => 'reguler', 'color' => 'blue']];
