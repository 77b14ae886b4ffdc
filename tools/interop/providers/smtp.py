"""A mail server for submission: STARTTLS and a login are required. See README.md."""

import asyncio

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from common import arguments, behaviour, log, ready, tls


class Mailboxes:
    def __init__(self, options):
        self.options = options

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if "gone" in address:
            return "550 5.1.1 no such mailbox"
        if "greylisted" in address:
            return "450 4.7.1 try again later"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(self, server, session, envelope):
        address = envelope.rcpt_tos[0]
        if "spam" in address:
            return "554 5.7.1 rejected as spam"
        log(
            self.options,
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            user=session.auth_data.decode() if session.auth_data else "",
            tls=session.ssl is not None,
            message=envelope.original_content.decode("utf-8", "replace"),
        )
        match behaviour(address):
            case "stall":
                await asyncio.sleep(3600)
            case "cut":
                server.transport.abort()
            case "late":
                await asyncio.sleep(1)
            case "twice":
                return "250 2.0.0 queued\r\n250 2.0.0 queued"
        return "250 2.0.0 queued"


def authenticate(server, session, envelope, mechanism, data):
    if data.login == b"milo" and data.password == b"s3cret":
        return AuthResult(success=True, auth_data=data.login)
    return AuthResult(success=False, handled=False)


def main():
    options = arguments()
    controller = Controller(
        Mailboxes(options),
        hostname="127.0.0.1",
        port=0,
        tls_context=tls(options),
        require_starttls=True,
        auth_required=True,
        auth_require_tls=True,
        authenticator=authenticate,
    )
    # Controller cannot be asked for a free port: it connects to its own number to see that it runs.
    controller.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(controller.loop)
    server = controller.loop.run_until_complete(controller._create_server())
    ready(options, server.sockets[0].getsockname()[1])
    controller.loop.run_forever()


main()
