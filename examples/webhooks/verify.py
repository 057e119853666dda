"""Verifies a webhook request (Standard Webhooks 1.0). Python 3.8 or newer, no dependencies."""
import base64
import hashlib
import hmac
import re
import sys
import time

TOLERANCE_SECONDS = 300


def verify(secret, headers, body):
    """Raises ValueError unless the request is recent and signed with the shared secret.

    headers: a mapping with lower-case names. body: the raw bytes, before any parsing.
    """
    id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not (id and timestamp and signatures):
        raise ValueError("a header is missing")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise ValueError("the timestamp is not a number")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise ValueError("the timestamp is too far off")
    key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    if not key:
        raise ValueError("the secret is empty")
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # There is one signature for each valid secret; one match is enough. Unknown versions are ignored.
    if not any(hmac.compare_digest(given.encode(), expected) for given in signatures.split(" ")):
        raise ValueError("no signature matches")


# python3 verify.py <secret> <webhook-id> <webhook-timestamp> <webhook-signature> < body
if __name__ == "__main__":
    secret, id, timestamp, signature = sys.argv[1:]
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    try:
        verify(secret, headers, sys.stdin.buffer.read())
    except ValueError as error:
        sys.exit(str(error))
