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
    """`value` is a median; `control` the spread of what should have given 1, or None where nothing is compared."""
    if value <= limit:
        return 'met'
    # Equality can be shown only to a target that asks for no more than that.
    return 'equal within control' if control and limit >= 1 and value <= control['p90'] else 'missed'


def verdict_at_least(value, limit, control):
    if value >= limit:
        return 'met'
    return 'equal within control' if limit <= 1 and value >= control['p10'] else 'missed'
