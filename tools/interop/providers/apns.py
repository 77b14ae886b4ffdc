"""Apple's push service: HTTP/2, ES256 provider tokens, topics, types, sizes, reasons. See README.md.

The key's public half (PEM) is given by --public-key; key id KEY0000001, team TEAM000001, bundle com.example.milo.
"""

import json
import re
import socket
import threading
import time
import uuid

import h2.config
import h2.connection
import h2.events
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from common import arguments, behaviour, log, part, ready, tls

# The first four digits of a token that means something.
MEANINGS = {
    "0001": "stall", "0002": "cut", "0003": "late", "0004": "cut-once",
    "0410": (410, "Unregistered"), "0400": (400, "BadDeviceToken"), "0429": (429, "TooManyRequests"),
    "0503": (503, "ServiceUnavailable"), "0500": (500, "InternalServerError"),
}
TYPES = {"alert", "background", "voip", "location", "complication", "fileprovider", "mdm", "liveactivity"}


class Refusal(Exception):
    def __init__(self, status, reason):
        self.status, self.reason = status, reason


tokens = {}  # token -> when it was seen first


def check_token(header, key):
    kind, _, token = header.partition(" ")
    if kind != "bearer" or not token:
        raise Refusal(403, "MissingProviderToken")
    try:
        head, claims, signature = token.split(".")
        raw = part(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
        key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        head, claims = json.loads(part(head)), json.loads(part(claims))
    except (ValueError, InvalidSignature):
        raise Refusal(403, "InvalidProviderToken")
    if head.get("alg") != "ES256" or head.get("kid") != "KEY0000001" or claims.get("iss") != "TEAM000001":
        raise Refusal(403, "InvalidProviderToken")
    if not -60 <= time.time() - claims["iat"] <= 3600:
        raise Refusal(403, "ExpiredProviderToken")
    if token not in tokens and any(abs(claims["iat"] - other) < 1200 for other in tokens.values()):
        raise Refusal(429, "TooManyProviderTokenUpdates")
    tokens[token] = claims["iat"]


def check(headers, body, key):
    if headers.get(":method") != "POST":
        raise Refusal(405, "MethodNotAllowed")
    found = re.fullmatch(r"/3/device/([0-9a-fA-F]+)", headers[":path"])
    if not found:
        raise Refusal(404, "BadPath")
    check_token(headers.get("authorization", ""), key)
    kind, topic = headers.get("apns-push-type", ""), headers.get("apns-topic", "")
    if kind not in TYPES:
        raise Refusal(400, "InvalidPushType")
    if not topic:
        raise Refusal(400, "MissingTopic")
    if topic != "com.example.milo" + (".voip" if kind == "voip" else ""):
        raise Refusal(400, "TopicDisallowed")
    if not body:
        raise Refusal(400, "PayloadEmpty")
    if len(body) > (5120 if kind == "voip" else 4096):
        raise Refusal(413, "PayloadTooLarge")
    if len(headers.get("apns-collapse-id", "")) > 64:
        raise Refusal(400, "BadCollapseId")
    if headers.get("apns-priority") not in ("1", "5", "10"):
        raise Refusal(400, "BadPriority")
    if not headers.get("apns-expiration", "0").isdigit():
        raise Refusal(400, "BadExpirationDate")
    try:
        uuid.UUID(headers.get("apns-id", str(uuid.uuid4())))
    except ValueError:
        raise Refusal(400, "BadMessageId")
    payload = json.loads(body)
    if kind == "background" and headers.get("apns-priority") == "10":
        raise Refusal(400, "BadPriority")
    if "aps" not in payload:
        raise Refusal(400, "PayloadEmpty")
    return found[1], payload


def serve(raw, context, options, key):
    with context.wrap_socket(raw, server_side=True) as connection:
        if connection.selected_alpn_protocol() != "h2":
            return
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        http.initiate_connection()
        connection.sendall(http.data_to_send())
        streams, lock = {}, threading.Lock()

        def answer(stream, status, identifier, reason=None):
            with lock:
                headers = [(":status", str(status)), ("apns-id", identifier)]
                if status == 429:
                    headers.append(("retry-after", "7"))
                http.send_headers(stream, headers, end_stream=reason is None)
                if reason is not None:
                    body = {"reason": reason}
                    if status == 410:
                        body["timestamp"] = 1_700_000_000_000
                    http.send_data(stream, json.dumps(body).encode(), end_stream=True)
                connection.sendall(http.data_to_send())

        while data := connection.recv(65536):
            with lock:
                events = http.receive_data(data)
                connection.sendall(http.data_to_send())
            for event in events:
                if isinstance(event, h2.events.RequestReceived):
                    streams[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, h2.events.DataReceived):
                    streams[event.stream_id][1].extend(event.data)
                    with lock:
                        http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    headers, body = streams.pop(event.stream_id)
                    identifier = headers.get("apns-id") or str(uuid.uuid4())
                    try:
                        token, payload = check(headers, bytes(body), key)
                        meaning = MEANINGS.get(token[:4], "")
                        if isinstance(meaning, tuple):
                            raise Refusal(*meaning)
                    except Refusal as refusal:
                        answer(event.stream_id, refusal.status, identifier, refusal.reason)
                        continue
                    log(options, token=token, headers=headers, payload=payload, stream=event.stream_id)
                    how = behaviour(meaning + token) if meaning else ""
                    if how == "stall":
                        continue
                    if how == "cut":
                        return
                    if how == "late":
                        time.sleep(1)
                    answer(event.stream_id, 200, identifier)


def main():
    options = arguments("public-key")
    with open(options.public_key, "rb") as file:
        key = serialization.load_pem_public_key(file.read())
    context = tls(options, "h2")
    listener = socket.create_server(("127.0.0.1", 0))
    ready(options, listener.getsockname()[1])
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=quietly, args=(raw, context, options, key), daemon=True).start()


def quietly(*arguments):
    """A client that leaves in the middle is its own affair."""
    try:
        serve(*arguments)
    except OSError:
        pass


main()
