"""Numbers in ECMAScript notation, as RFC 8785 requires."""

from __future__ import annotations

import math

_SAFE_MAX = 2**53


def number_text(value: int | float) -> str:
    """Number as ECMAScript's `String` writes it: the shortest digits that parse to the same double, with an exponent
    from 1e21 up and below 1e-6. Integers beyond 2**53 become the nearest double, as in a JSON parser there. Raises
    TypeError if not finite.
    """
    if isinstance(value, int) and -_SAFE_MAX <= value <= _SAFE_MAX:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise TypeError(f"JSON cannot represent the number {double}")
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    digits, point = _digits_of(abs(double))
    total = len(digits)
    if total <= point <= 21:
        return sign + digits + "0" * (point - total)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    exponent = f"{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"{sign}{digits[0]}{f'.{digits[1:]}' if total > 1 else ''}e{exponent}"


def _digits_of(double: float) -> tuple[str, int]:
    """Shortest digits of a positive double, and how many of them precede the decimal point."""
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    return stripped.rstrip("0"), point - (len(digits) - len(stripped))
