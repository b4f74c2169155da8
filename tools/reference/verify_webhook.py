"""Verifies a webhook as Standard Webhooks 1.0 says. Standard library only; shares nothing with the program that signs.

    verify_webhook.py SECRET [SECRET ...] < sample.json

The sample: {"headers": {"webhook-id": ..., "webhook-timestamp": ..., "webhook-signature": ...}, "body_base64": ..., "now": seconds}.
Exit code 0: a signature is by one of the secrets, and the timestamp is within five minutes of `now`. 1: it is not. 2: bad usage.
"""
import base64
import binascii
import hashlib
import hmac
import json
import sys

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


def signature(secret, message_id, timestamp, body):
    """The `v1` signature of the exact bytes of a body, in base64."""
    text = secret[len(PREFIX):] if secret.startswith(PREFIX) else secret
    key = base64.b64decode(text, validate=True)
    signed = message_id.encode() + b"." + timestamp.encode() + b"." + body
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def fault(secrets, headers, body, now):
    """Why a message is refused, or None when it is genuine."""
    names = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, given = (names.get("webhook-" + part) for part in ("id", "timestamp", "signature"))
    if not message_id or not timestamp or not given:
        return "a header is missing"
    if not (timestamp.isascii() and timestamp.isdigit()):
        return "the timestamp is not whole seconds"
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return "the timestamp is more than five minutes away"
    expected = [signature(secret, message_id, timestamp, body).encode() for secret in secrets]
    for entry in given.split(" "):
        version, _, value = entry.partition(",")
        if version == "v1" and any(hmac.compare_digest(value.encode(), one) for one in expected):
            return None
    return "no signature is by a known secret"


def main(arguments):
    if not arguments:
        print("usage: verify_webhook.py SECRET [SECRET ...] < sample.json", file=sys.stderr)
        return 2
    try:
        sample = json.load(sys.stdin)
        body = base64.b64decode(sample["body_base64"], validate=True)
        found = fault(arguments, sample["headers"], body, sample["now"])
    except (ValueError, KeyError, binascii.Error) as error:
        print("not a sample, or not a secret: %s" % error, file=sys.stderr)
        return 2
    print(found or "genuine")
    return 0 if found is None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
