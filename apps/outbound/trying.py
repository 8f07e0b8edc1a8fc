"""Try to leave, to see that it is refused."""

import _socket

from apps.outbound import guard

NOBODY = ("192.0.2.1", 443)  # kept free for documentation: no machine has this address
SECONDS = 0.5  # that it may take where nothing refuses it


def is_refused() -> bool:
    """Whether this process is kept from connecting. Nothing is sent, whatever comes of it."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        sock.settimeout(SECONDS)
        sock.connect(NOBODY)
    except guard.Refused:
        return True
    except OSError:
        return False  # it was let go, and nobody was there
    finally:
        sock.close()
    return False
