"""What measurements in alternating rounds share, in Python. The crate leveret-rounds is the same in Rust: its cases.json holds for both."""

# How far the median of a control may lie from 1, whatever its spread: less than this nobody should conclude anything from.
CONTROL_TOLERANCE = 0.05


def order(sides, number):
    """Whoever is first in a round has the coldest machine, so each is first in turn."""
    sides = list(sides)
    first = number % len(sides)
    return sides[first:] + sides[:first]


def in_turns(measures, rounds, progress):
    """Of each round what each side's measure answers. One round more comes first: memory that is touched for the first time is another measure."""
    answers = []
    for number in range(rounds + 1):
        progress(f'round {number} of {rounds}' if number else 'warming up')
        answers.append({side: measures[side]() for side in order(measures, number)})
    return answers[1:]


def spread(values):
    """Median and the range that four fifths of the values lie in."""
    ordered = sorted(values)
    return {'median': _percentile(ordered, 50), 'p10': _percentile(ordered, 10), 'p90': _percentile(ordered, 90)}


def _percentile(ordered, percent):
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def is_even(control):
    """Of a control, the ratio of a peer to itself: False where the rounds say that it differs from itself."""
    return control['p10'] <= 1 <= control['p90'] or abs(control['median'] - 1) <= CONTROL_TOLERANCE


def verdict(ratio, control=None, at_most=None, at_least=None):
    """In words. `control` is the spread of what should have given 1; None where nothing is compared."""
    # Equal: no further from 1 than the control, and rounds on both sides of the limit. On a busy machine the control alone would excuse
    # anything. Equality can be shown only to a target that asks for no more than that.
    if at_most is not None:
        met = ratio['median'] <= at_most
        equal = control and at_most >= 1 and ratio['median'] <= control['p90'] and ratio['p10'] <= at_most
    else:
        met = ratio['median'] >= at_least
        equal = control and at_least <= 1 and ratio['median'] >= control['p10'] and ratio['p90'] >= at_least
    return 'met' if met else 'equal within control' if equal else 'missed'
