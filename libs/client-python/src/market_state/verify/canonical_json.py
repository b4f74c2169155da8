"""RFC 8785."""

from __future__ import annotations

import json
from collections.abc import Mapping

from market_state.core.numbers import number_text

_encode = json.JSONEncoder(ensure_ascii=False).encode


def canonical_json(value: object) -> str:
    """
    A JSON value as RFC 8785 text: members in the order of their names' UTF-16 code units, numbers and strings as ECMAScript
    writes them, no white space. TypeError for what JSON does not know: a number that is not finite, a lone surrogate, an object of
    any other kind.
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
        raise TypeError(f"JSON has no {type(value).__name__}")


def _write_object(value: Mapping[object, object], pieces: list[str]) -> None:
    names = [name for name in value if isinstance(name, str)]
    if len(names) < len(value):
        raise TypeError("a name of a member is no string")
    # Code points and code units have the same order up to what takes two of the latter.
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
        raise TypeError("a string holds a lone surrogate") from None
