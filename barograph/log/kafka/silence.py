"""Why a broker that listens does not speak with us.

It closes the connection without a word when it does not know a login, and so it does with whoever
speaks TLS where it does not, or the other way round; the client tries again until its time is
over. So a handshake of our own is tried, which says more.
"""

import socket
import ssl
from typing import Final

_WITHIN_S: Final = 2.0
_DOCS: Final = "see docs/delivery.md"


def listens(server: str) -> bool:
    """Whether anything takes connections at ``HOST:PORT``."""
    try:
        with _connected(server):
            return True
    except OSError:
        return False


def reason(server: str, context: ssl.SSLContext | None, *, login: bool) -> tuple[str, str]:
    """What is wrong with ``HOST:PORT``, which listens; and what to do.

    Args:
        server: one of the brokers.
        context: of our TLS; None: we speak none.
        login: whether we say who we are.

    """
    if context is not None:
        try:
            _shake_hands(server, context)
        except ssl.SSLCertVerificationError as error:
            said = error.verify_message.rstrip(".") or "unknown"
            return (
                f"the broker's certificate is not trusted ({said})",
                "name the authority that signed it in BAROGRAPH_KAFKA_CA_FILE",
            )
        except OSError:
            return "what listens there does not speak TLS with us", f"does it want TLS? {_DOCS}"
    elif _speaks_tls(server):
        return "the broker speaks TLS, and we do not", f"set BAROGRAPH_KAFKA_TLS; {_DOCS}"
    if login:
        return (
            "the broker does not know this user, password or mechanism, or it hangs",
            "look at BAROGRAPH_KAFKA_USER, _PASSWORD_FILE and _MECHANISM",
        )
    return "what listens there does not speak with us", f"does it want a login? {_DOCS}"


def _speaks_tls(server: str) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # nothing is said to it but hello
    try:
        _shake_hands(server, context)
    except OSError:
        return False
    return True


def _shake_hands(server: str, context: ssl.SSLContext) -> None:
    with _connected(server) as raw:
        raw.settimeout(_WITHIN_S)
        with context.wrap_socket(raw, server_hostname=_host(server)):
            pass


def _connected(server: str) -> socket.socket:
    port = int(server.rpartition(":")[2])
    return socket.create_connection((_host(server), port), _WITHIN_S)


def _host(server: str) -> str:
    return server.rpartition(":")[0].strip("[]")
