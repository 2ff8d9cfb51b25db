"""The rows: what is measured, how much of it, and what it must be. The scripts that do the work are PHP."""
from bench.php.compare import Compare
from bench.php.footprint import Attach, Faults, Footprint, SmallestArena
from bench.php.full import MIXED, Full
from bench.php.together import BesideWriter, TwoReaders

# A walk of APCu passes by all its slots, so it is walked with its default.
FEW_SLOTS = {'apc.entries_hint': '4096'}

# The decoded-value cache is off on our side unless a row says otherwise.
ROWS = {
    'hot': Compare('fetch 10 bytes, one hot key', 'FetchShort', 0.75,
                   full={'calls': 2000, 'keys': 1, 'batches': 50}, quick={'calls': 200, 'keys': 1, 'batches': 2}),
    'shuffled': Compare('fetch 10 bytes, 200,000 md5 keys, shuffled', 'FetchShuffled', 0.64,
                        full={'calls': 200_000, 'keys': 200_000}, quick={'calls': 2000, 'keys': 2000}),
    'shuffled-default': Compare("the same, with APCu's default entries_hint", 'FetchShuffled', None,
                                full={'calls': 200_000, 'keys': 200_000}, quick={'calls': 2000, 'keys': 2000},
                                peer_ini={'apc.entries_hint': '4096'}),
    'array4': Compare('fetch a 4-field array', 'FetchFourFields', 1.0,
                      full={'calls': 1000, 'keys': 1000, 'batches': 20}, quick={'calls': 100, 'keys': 100, 'batches': 2}),
    'string100k': Compare('fetch a 100 KB string', 'FetchHundredKilobytes', 1.0,
                          full={'calls': 20, 'keys': 5, 'batches': 50}, quick={'calls': 10, 'keys': 5, 'batches': 2}),
    'miss': Compare('miss', 'FetchMiss', 1.0,
                    full={'calls': 2000, 'keys': 1000, 'batches': 50}, quick={'calls': 200, 'keys': 100, 'batches': 2}),
    'inc': Compare('apcu_inc', 'Increment', 1.0, full={'calls': 2000, 'batches': 50}, quick={'calls': 200, 'batches': 2}),
    'exists': Compare('apcu_exists', 'Exists', 1.0,
                      full={'calls': 2000, 'keys': 1000, 'batches': 50}, quick={'calls': 200, 'keys': 100, 'batches': 2}),
    'fetch50': Compare('fetch of 50 keys, per key', 'FetchFifty', 1.0, full={'calls': 20, 'batches': 50}, quick={'calls': 5, 'batches': 2}),
    'first': Compare('first fetch of a 1000-row array in a process', 'FirstFetch', 1.05, full={'calls': 20, 'batches': 2}, quick={'calls': 3}),
    # Ours stays at one table for 10,000 fetches, as the target says. The peer decodes each time, so a part of them tells its time.
    'decoded': Compare('fetch of a 1000-row array, rewritten by another process every 10,000 fetches', 'FetchRows', 1 / 300,
                       full={'calls': 10_000}, quick={'calls': 200}, peer_full={'calls': 200}, our_ini={'leveret.decoded_cache': '8M'}),
    'store': Compare('store 10 bytes, 200,000 keys, all there already', 'Store', 0.8,
                     full={'calls': 200_000, 'bytes': 10, 'emptied': False}, quick={'calls': 2000, 'bytes': 10, 'emptied': False}),
    'store-new': Compare('store 10 bytes, 200,000 keys, into an emptied cache', 'Store', 0.8,
                         full={'calls': 200_000, 'bytes': 10, 'emptied': True}, quick={'calls': 2000, 'bytes': 10, 'emptied': True}),
    'store-new-default': Compare("the same, with APCu's default entries_hint", 'Store', None,
                                 full={'calls': 200_000, 'bytes': 10, 'emptied': True}, quick={'calls': 2000, 'bytes': 10, 'emptied': True},
                                 peer_ini={'apc.entries_hint': '4096'}),
    'store8k': Compare('store 8 KiB, 20,000 keys, into an emptied cache', 'Store', 0.8,
                       full={'calls': 20_000, 'bytes': 8192, 'emptied': True}, quick={'calls': 200, 'bytes': 8192, 'emptied': True}),
    'walk-keys': Compare('the keys of 10,000 items, per item', 'WalkKeys', 1.1,
                         full={'keys': 10_000, 'calls': 3}, quick={'keys': 500, 'calls': 2}, peer_ini=FEW_SLOTS),
    'walk-some': Compare('the keys of those that match a regular expression, one in nine', 'WalkSome', None,
                         full={'keys': 10_000, 'calls': 3}, quick={'keys': 500, 'calls': 2}, peer_ini=FEW_SLOTS),
    'walk-info': Compare('apcu_cache_info() of 10,000 items, per item', 'WalkInfo', 1.3,
                         full={'keys': 10_000, 'calls': 3}, quick={'keys': 500, 'calls': 2}, peer_ini=FEW_SLOTS),
    'walk-count': Compare('count and size of 10,000 items', 'WalkCount', 1.0,
                          full={'keys': 10_000, 'calls': 100}, quick={'keys': 500, 'calls': 10}, peer_ini=FEW_SLOTS),
    'totals': Compare('apcu_cache_info(true) and apcu_sma_info(true)', 'Totals', None,
                      full={'keys': 10_000, 'calls': 100}, quick={'keys': 500, 'calls': 10}),
    'full': Full('store 100 bytes, new keys, into 64 MiB that are full', 64, 100, {'calls': 500_000, 'single': 100_000}, target=1.2),
    'full-mixed': Full('the same, keys that live for a second, a minute, an hour and ever', 64, 100,
                       {'calls': 500_000, 'single': 100_000}, lifetimes=MIXED),
    'full-10': Full('the same, 10 bytes', 64, 10, {'calls': 500_000, 'single': 100_000}),
    'full-1k': Full('the same, 1000 bytes', 64, 1000, {'calls': 200_000, 'single': 50_000}),
    'full-8k': Full('the same, 8 KiB', 64, 8192, {'calls': 50_000, 'single': 20_000}),
    'full-4g': Full('store 1000 bytes, new keys, into 4 GiB that are full', 4096, 1000, {'calls': 200_000, 'single': 50_000}),
    'two-readers': TwoReaders('two readers, against two that share nothing', 0.95),
    'beside-writer': BesideWriter('a reader beside a writer on the same keys, against alone', 2.5),
    'bytes': SmallestArena('smallest arena for 1,000,000 items of 20 + 100 bytes with TTL', 165_000_000),
    'attach': Attach('first fetch of a fresh process, which attaches a 64 MiB arena', 1_000_000),
    'faults': Faults('page faults of the first reads of 500 keys, in a fresh process at a 1 GB arena', 20),
    'private': Footprint('private memory and page tables after 100 reads of a 1 GB arena', 2 * 2**20),
}
