"""RFC 8785."""

from __future__ import annotations

import json
from collections.abc import Mapping

from market_state.core.numbers import number_text

_encode = json.JSONEncoder(ensure_ascii=False).encode


def canonical_json(value: object) -> str:
    """Canonical JSON (RFC 8785): members sorted by UTF-16 code units, numbers and strings as in ECMAScript, no white
    space. Raises TypeError for values without a JSON form: a non-finite number, a lone surrogate, an object of any
    other type.
    """
    pieces: list[str] = []
    _write(value, pieces)
    return "".join(pieces)


def _write(value: object, pieces: list[str]) -> None:
    if isinstance(value, str):
        pieces.append(_string_text(value))
    elif value is None:
        pieces.append("null")
    elif value is True or value is False:
        pieces.append("true" if value else "false")
    elif isinstance(value, (int, float)):
        pieces.append(number_text(value))
    elif isinstance(value, dict):
        _write_object(value, pieces)
    elif isinstance(value, (list, tuple)):
        pieces.append("[")
        for at, item in enumerate(value):
            if at > 0:
                pieces.append(",")
            _write(item, pieces)
        pieces.append("]")
    elif isinstance(value, Mapping):
        _write_object(value, pieces)
    else:
        raise TypeError(f"JSON cannot represent a {type(value).__name__}")


def _write_object(value: Mapping[object, object], pieces: list[str]) -> None:
    names = [name for name in value if isinstance(name, str)]
    if len(names) < len(value):
        raise TypeError("a member name is not a string")
    # Code points sort like UTF-16 code units, except for those above U+FFFF.
    names.sort(key=None if all(map(str.isascii, names)) else _code_units)
    opening = "{"
    for name in names:
        pieces.append(f"{opening}{_string_text(name)}:")
        _write(value[name], pieces)
        opening = ","
    pieces.append("}" if names else "{}")


def _string_text(text: str) -> str:
    if not text.isascii():
        _code_units(text)
    return _encode(text)


def _code_units(text: str) -> bytes:
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise TypeError("a string contains a lone surrogate") from None
