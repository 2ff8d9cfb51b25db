"""Measures our class Memcached beside Debian's php-memcached and php-memcache.

All clients are processes that live through the whole row and talk to the same memcached; a second php-memcached is the control. In each
round each of them is measured once, in an order that changes from round to round; each stores other values first and compares every
answer when the clock has stopped. What is printed is the median of the rounds' ratios of ours to the best peer, and their spread from
the 10th to the 90th percentile. Rows of four servers against one are held against that ratio for plain sockets with ready-made requests.
"""
from bench.client.rows import ROWS
from bench.client.setting import Clients
from bench.harness import program
from bench.harness.setting import BUILD

parser = program.arguments('client', __doc__, ROWS, rounds=15)
program.add_php(parser)
parser.add_argument('--command', default=BUILD / 'leveret', help='our command, for the rows with `leveret serve` (build/leveret)')
program.run(parser, ROWS, Clients)
