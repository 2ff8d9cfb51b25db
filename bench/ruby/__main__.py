"""Measures the Ruby gem beside Debian's Dalli on memcached over TCP, and Rails' stores with either.

All providers take turns in each round, so that what else the machine does meets all of them. Each is held against Dalli; the second
Dalli is the control, and a bare socket that writes the same requests is the floor. CPU time is that of the client's process: single
round trips are the scheduler's. Then two processes that read at once, held against two that share nothing: the processors share
caches, and the clock of the machine falls.
"""
from bench.harness import program
from bench.ruby.rows import ROWS
from bench.ruby.setting import Rubies

program.run(program.arguments('ruby', __doc__, ROWS, rounds=11), ROWS, Rubies)
