"""Measures the PHP extension beside APCu.

Both sides run the same scripts. In each round every row is measured on the peer, on ours and on a second process of the peer
(the control), in an order that changes from round to round; what is printed is the median of the rounds' ratios, their spread
from the 10th to the 90th percentile, and the same for the control. Inside the control's spread means equal.
"""
from bench.harness import program
from bench.php.rows import ROWS
from bench.php.setting import Php

parser = program.arguments('php', __doc__, ROWS, rounds=11)
program.add_php(parser)
parser.add_argument('--peer', default='apcu.so', help="the peer's extension (%(default)s)")
program.run(parser, ROWS, Php)
