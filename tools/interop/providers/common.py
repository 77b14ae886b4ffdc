"""What the servers share: arguments, TLS, the log, and what an address asks for."""

import argparse
import base64
import json
import os
import ssl
import threading

_lock = threading.Lock()
_seen = set()


def arguments(*more):
    parser = argparse.ArgumentParser()
    for name in ("certificate", "key", "log", "ready") + more:
        parser.add_argument("--" + name, required=True)
    return parser.parse_args()


def tls(options, *protocols):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


def ready(options, port):
    """Writes the port, whole or not at all."""
    with open(options.ready + ".new", "w") as file:
        file.write(str(port))
    os.rename(options.ready + ".new", options.ready)


def log(options, **entry):
    with _lock, open(options.log, "a") as file:
        file.write(json.dumps(entry) + "\n")


def behaviour(address):
    """stall, cut, late, twice or nothing."""
    if "once" in address:
        with _lock:
            if address in _seen:
                return ""
            _seen.add(address)
    return next((word for word in ("stall", "cut", "late", "twice") if word in address), "")


def part(text):
    """A part of a token of RFC 7515."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
