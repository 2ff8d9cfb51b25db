"""The little arithmetic of this benchmark."""
from statistics import median


def percentile(values, percent):
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(values):
    """Median and the range that four fifths of the values lie in."""
    return {'median': median(values), 'p10': percentile(values, 10), 'p90': percentile(values, 90)}


def verdict_at_most(value, limit, control=None):
    """`value` is a median; `control` the spread of the peer against itself, or None where there is no peer."""
    if value <= limit:
        return 'met'
    # Equality can be shown only to a target that asks for no more than that.
    if control and limit >= 1 and value <= max(control['p90'], limit):
        return 'equal within control'
    return 'missed'


def verdict_at_least(value, limit):
    return 'met' if value >= limit else 'missed'
