"""Measures whole pages of an unmodified application, MediaWiki, with the original caches and with ours in their place.

Every side is one PHP with OPcache and a copy of the wiki of its own. A page is asked of the originals, of ours and, as control, of the
originals in another process, one after the other, in an order that changes from page to page; every body is compared with the
originals'. Time and CPU time (of the PHP process) are the medians of the rounds' ratios of ours to the originals, with their spread
from the 10th to the 90th percentile, and then the same for the control. Instructions are callgrind's, of the whole process, and of
all that happens between a call into an extension of a cache and its return: what is outside of that part no cache can change.
"""
from bench.harness import program
from bench.pages.rows import ROWS
from bench.pages.setting import Wikis

parser = program.arguments('pages', __doc__, ROWS, rounds=11)
parser.add_argument('--no-count', action='store_true', help='leave out the instructions, which take half of the time')
program.run(parser, ROWS, Wikis)
