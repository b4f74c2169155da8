"""RFC 8785 JSON (section "Digests, ids, canonical bytes" of the labeling page)."""

import json

from .numbers import number_text

_string = json.JSONEncoder(ensure_ascii=False).encode
_key_order = {}


def canonical_json(value):
    """The RFC 8785 text of a JSON value: keys by UTF-16 code units, ECMAScript numbers, no white space."""
    parts = []
    _write(value, parts.append)
    return "".join(parts)


def canonical_bytes(value):
    """The same as UTF-8 bytes, which is what digests are taken of."""
    return canonical_json(value).encode("utf-8")


def _utf16(key):
    order = _key_order.get(key)
    if order is None:
        order = _key_order[key] = key.encode("utf-16-be")
    return order


def _write(value, put):
    if isinstance(value, str):
        put(_string(value))
    elif value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, (int, float)):
        put(number_text(value))
    elif isinstance(value, dict):
        put("{")
        between = ""
        for key in sorted(value, key=_utf16):
            put(between + _string(key) + ":")
            _write(value[key], put)
            between = ","
        put("}")
    elif isinstance(value, (list, tuple)):
        put("[")
        between = ""
        for item in value:
            if between:
                put(between)
            _write(item, put)
            between = ","
        put("]")
    else:
        raise TypeError(f"no JSON form for {type(value).__name__}")
