"""How sentences print numbers for people (packet body page, section 4)."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

_EXACT = Context(prec=1200)
_USD_UNITS = ((1e9, "billion USD"), (1e6, "million USD"), (1e3, "thousand USD"))
_MS_OF_UNIT = {"ms": 1, "seconds": 1000, "minutes": 60000, "hours": 3600000}
_MOST_DECIMALS = 6


def _rounded(x, decimals):
    """x as a decimal with so many places, half to even on the double's exact decimal value."""
    return Decimal(x).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN, context=_EXACT)


def fixed(x, decimals):
    """x with exactly so many decimals; `under` the last place where x is not 0 but rounds to it."""
    value = _rounded(x, decimals)
    if value == 0:
        place = Decimal(1).scaleb(-decimals)
        return f"under {place:f}" if x != 0 else f"{abs(value):f}"
    return f"{value:f}"


def fitting_decimals(x):
    """None from 100 and at 0, then one more for each power of ten below, up to six."""
    size = abs(x)
    if size >= 100 or size == 0:
        return 0
    bounds = (1, 0.1, 0.01, 0.001, 0.0001)
    return next((count for count, bound in enumerate(bounds, 1) if size >= bound), _MOST_DECIMALS)


def _fitting(x):
    return fixed(x, fitting_decimals(x))


def _apart(x, other, decimals):
    """How many decimals x needs, from what its format gives it and `other`, to differ from it in print."""
    if other is None or other == x:
        return decimals(x)
    count = max(decimals(x), decimals(other))
    while count < _MOST_DECIMALS and _rounded(x, count) == _rounded(other, count):
        count += 1
    return count


def _score(x, other):
    return fixed(x, _apart(x, other, lambda _: 2))


def _bps(x, other):
    return fixed(x, _apart(x, other, fitting_decimals)) + " bps"


def _share(x):
    whole = int(_rounded(x, 2) * 100)
    if whole == 0 and x > 0:
        return "under 1 %"
    return "over 99 %" if whole == 100 and x < 1 else f"{whole} %"


def _usd(x):
    for size, name in _USD_UNITS:
        if x >= size:
            return f"{_fitting(x / size)} {name}"
    return fixed(x, 0) + " USD"


def _two(large, large_unit, small, small_unit):
    return f"{large} {large_unit}" + (f" {small} {small_unit}" if small else "")


def _span(name, x):
    """A length of time; the end of the fact's name says its unit."""
    ms = x * _MS_OF_UNIT[name.rsplit("_", 1)[1]]
    if ms < 1000:
        return "under 1 s"
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return _two(seconds // 60, "min", seconds % 60, "s")
    minutes = round(seconds / 60)
    if minutes < 2880:
        return _two(minutes // 60, "h", minutes % 60, "min")
    hours = round(minutes / 60)
    return _two(hours // 24, "d", hours % 24, "h")


def print_number(form, name, x, other=None):
    """The number of a fact in one of the formats; `other` is the number that it must differ from in print."""
    if form == "score":
        return _score(x, other)
    if form == "bps":
        return _bps(x, other)
    if form == "share":
        return _share(x)
    if form == "percent":
        return _fitting(100 * x) + " %"
    if form == "usd":
        return _usd(x)
    if form == "span":
        return _span(name, x)
    raise ValueError(f"no format {form}")
