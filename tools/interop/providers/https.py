"""Google's token endpoint and FCM (HTTP v1), Twilio's Messages, and a webhook, each by its path. See README.md.

The public half of the service account's key (PEM) is given by --public-key. Project milo-test, account
push@milo-test.example; Twilio's account AC0001 with the token t0ken, sender +12065550100.
"""

import base64
import hashlib
import hmac
import http.server
import json
import re
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from common import arguments, behaviour, log, part, ready, tls

ACCESS = "ya29.test-access-token"

# Twilio's numbers that mean something, as its magic numbers do: the status of HTTP and the code.
NUMBERS = {
    "+12065550610": (400, 21610), "+12065550211": (400, 21211), "+12065550614": (400, 21614),
    "+12065550429": (429, 20429), "+12065550500": (500, None), "+12065550003": (400, 30003),
}
# Of these the name says what becomes of the connection.
MOODS = {"+12065550001": "stall", "+12065550002": "cut", "+12065550003": "", "+12065550004": "late",
         "+12065550005": "twice"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, mood="", **headers):
        if mood == "stall":
            time.sleep(3600)
        if mood == "cut":
            self.close_connection = True
            self.connection.close()
            return
        if mood == "late":
            time.sleep(1)
        body = json.dumps(value).encode() if value is not None else b"ok"
        for _ in range(2 if mood == "twice" else 1):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, text in headers.items():
                self.send_header(name.replace("_", "-"), text)
            self.end_headers()
            self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path
        if path == "/token":
            self.token(body)
        elif path == "/v1/projects/milo-test/messages:send":
            self.push(body)
        elif re.fullmatch(r"/2010-04-01/Accounts/AC0001/Messages\.json", path):
            self.text(body)
        elif path.startswith("/hook/"):
            self.hook(body)
        else:
            self.answer(404, {"error": {"status": "NOT_FOUND"}})

    def token(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        try:
            if form["grant_type"] != "urn:ietf:params:oauth:grant-type:jwt-bearer":
                raise ValueError
            head, claims, signature = form["assertion"].split(".")
            self.server.key.verify(
                part(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
            head, claims = json.loads(part(head)), json.loads(part(claims))
            if (
                head["alg"] != "RS256"
                or claims["iss"] != "push@milo-test.example"
                or claims["aud"] != self.server.url + "/token"
                or "https://www.googleapis.com/auth/firebase.messaging" not in claims["scope"]
                or not -60 <= time.time() - claims["iat"] <= 3600
                or claims["exp"] - claims["iat"] > 3600
            ):
                raise ValueError
        except (KeyError, ValueError, InvalidSignature):
            return self.answer(400, {"error": "invalid_grant"})
        log(self.server.options, kind="token")
        self.answer(200, {"access_token": ACCESS, "expires_in": 3599, "token_type": "Bearer"})

    def push(self, body):
        if self.headers.get("authorization") != "Bearer " + ACCESS:
            return self.answer(401, {"error": {"status": "UNAUTHENTICATED"}})
        message = json.loads(body)["message"]
        token = message["token"]

        def error(status, name, code, **more):
            detail = {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code}
            self.answer(status, {"error": {"code": status, "status": name, "details": [detail] + more.get("details", [])}})

        if "unregistered" in token:
            return error(404, "NOT_FOUND", "UNREGISTERED")
        if "malformed" in token:
            return error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", details=[
                {"fieldViolations": [{"field": "message.token"}]}])
        if "quota" in token:
            return error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED")
        if "mismatch" in token:
            return error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH")
        if "down" in token:
            return error(503, "UNAVAILABLE", "UNAVAILABLE")
        if any(not isinstance(value, str) for value in message.get("data", {}).values()):
            return error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
        if not re.fullmatch(r"\d+s", message["android"]["ttl"]):
            return error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
        log(self.server.options, kind="push", message=message)
        self.answer(200, {"name": "projects/milo-test/messages/0:1"}, behaviour(token))

    def text(self, body):
        expected = "Basic " + base64.b64encode(b"AC0001:t0ken").decode()
        if not hmac.compare_digest(self.headers.get("authorization", ""), expected):
            return self.answer(401, {"code": 20003, "status": 401})
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        to = form.get("To", "")
        if not re.fullmatch(r"\+[1-9]\d{6,14}", to):
            return self.answer(400, {"code": 21211, "status": 400})
        if form.get("From") != "+12065550100":
            return self.answer(400, {"code": 21606, "status": 400})
        if not form.get("Body"):
            return self.answer(400, {"code": 21602, "status": 400})
        if len(form["Body"]) > 1600:
            return self.answer(400, {"code": 21617, "status": 400})
        if to in NUMBERS and to not in MOODS:
            status, code = NUMBERS[to]
            return self.answer(status, {"code": code, "status": status} if code else {})
        sid = "SM" + hashlib.md5(body).hexdigest()
        log(self.server.options, kind="text", form=form, sid=sid)
        self.answer(201, {"sid": sid, "status": "queued"}, MOODS.get(to, ""))

    def hook(self, body):
        found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", self.headers.get("kith-signature", ""))
        if found:
            code = hmac.new(b"hook-secret", f"{found[1]}.".encode() + body, hashlib.sha256).hexdigest()
        if not found or not hmac.compare_digest(code, found[2]) or abs(time.time() - int(found[1])) > 300:
            return self.answer(403, None)
        if "gone" in self.path:
            return self.answer(410, None)
        if "moved" in self.path:
            return self.answer(302, None, location=self.server.url + "/hook/elsewhere")
        log(self.server.options, kind="hook", path=self.path, body=json.loads(body))
        self.answer(200, None, behaviour(self.path))


def main():
    options = arguments("public-key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = tls(options).wrap_socket(server.socket, server_side=True)
    server.options = options
    server.url = f"https://localhost:{server.server_address[1]}"
    with open(options.public_key, "rb") as file:
        server.key = serialization.load_pem_public_key(file.read())
    ready(options, server.server_address[1])
    server.serve_forever()


main()
