"""Numbers (section "Numbers" of the labeling page): rounding, quantiles, means, and their printed form.

All arithmetic is IEEE 754 double, which is Python's float. Sums are plain left-to-right loops: `sum()` is avoided
because newer Python versions compensate rounding errors in it, and a different last bit is a different number.
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from math import ceil

# Wide enough for the exact decimal expansion of any finite double.
_EXACT = Context(prec=1200)
_STEP = {digits: Decimal(1).scaleb(-digits) for digits in (0, 6, 12)}


def rounded(x, digits):
    """x to `digits` decimals (0, 6 or 12), half to even on the exact decimal expansion of the double.

    `Decimal(x)` is that expansion, without error. The result is the double nearest to the rounded decimal; -0
    becomes 0.
    """
    value = float(Decimal(x).quantize(_STEP[digits], rounding=ROUND_HALF_EVEN, context=_EXACT))
    return value if value != 0 else 0.0


def r6(x):
    """Six decimals: every named value but funding rate, returns and volatilities."""
    return rounded(x, 6)


def r12(x):
    """Twelve decimals: funding rate, returns and volatilities."""
    return rounded(x, 12)


def clamp(x, low, high):
    """x brought into low..high."""
    return min(max(x, low), high)


def sign(x):
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


def total(values):
    """Sum from left to right in doubles."""
    result = 0.0
    for value in values:
        result += value
    return result


def nearest_rank(values, q):
    """The max(1, ceil(q * n))-th smallest of the values; there must be at least one."""
    ordered = sorted(values)
    return ordered[max(1, ceil(q * len(ordered))) - 1]


def trailing_mean(values, current):
    """r6(sum / n) over values of earlier packets, oldest first; the current value over none."""
    return r6(total(values) / len(values)) if values else current


def number_text(x):
    """A number as ECMAScript prints it (Number::toString), which is what RFC 8785 prescribes.

    `repr` of a float gives the same shortest digits; only the place of the point and the exponent differ.
    """
    if isinstance(x, int):
        x = float(x)
    if x != x or x in (float("inf"), float("-inf")):
        raise ValueError("a number that is not finite has no JSON form")
    if x == 0:
        return "0"
    mantissa = Decimal(repr(x)).as_tuple()
    digits = "".join(map(str, mantissa.digits)).rstrip("0")
    point = len(mantissa.digits) + mantissa.exponent
    minus = "-" if mantissa.sign else ""
    count = len(digits)
    if count <= point <= 21:
        return minus + digits + "0" * (point - count)
    if 0 < point <= 21:
        return minus + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return minus + "0." + "0" * -point + digits
    exponent = ("+" if point > 0 else "-") + str(abs(point - 1))
    return minus + digits[0] + ("." + digits[1:] if count > 1 else "") + "e" + exponent
