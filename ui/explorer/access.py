"""Who may look, where more than this machine can reach the explorer.

On loopback everyone who can reach the port may look. Elsewhere there are two ways. With a
password file, each viewer gives the password once a session; it is compared in constant
time, and whoever is wrong too often has to wait. With a trusted header, a reverse proxy has
asked who it is; that holds only where nothing but the proxy can reach the port
(docs/explorer.md), because anyone else could send the header too.
"""

import hmac
import threading
import time
from collections import deque
from typing import Final

import streamlit as st

from ui.errors import NoPasswordError
from ui.explorer.options import Options, password

_WITHIN_S: Final = 60.0
_MOST_WRONG: Final = 5
_GRANTED: Final = "access_granted"
_LOCK: Final = ":material/lock:"


class Attempts:
    """Wrong passwords of the last minute, all viewers together.

    Together, because an address can be had anew and the password cannot: at five a minute
    a password of four random words outlives the machine.
    """

    def __init__(self) -> None:
        """Nobody has been wrong."""
        self._lock = threading.Lock()
        self._wrong: deque[float] = deque(maxlen=_MOST_WRONG)

    def allowed(self, now_s: float) -> bool:
        """Whether another one may be tried."""
        with self._lock:
            return len(self._wrong) < _MOST_WRONG or now_s - self._wrong[0] > _WITHIN_S

    def wrong(self, now_s: float) -> None:
        """One more."""
        with self._lock:
            self._wrong.append(now_s)


@st.cache_resource(show_spinner=False)
def _attempts() -> Attempts:
    return Attempts()


def viewer(options: Options) -> str | None:
    """The name that the reverse proxy gave, if one is trusted."""
    if options.trusted_header is None:
        return None
    return st.context.headers.get(options.trusted_header) or None


def granted(options: Options) -> bool:
    """Whether this viewer may look; asks for the password where one is needed."""
    if options.trusted_header is not None:
        if viewer(options):
            return True
        st.error("This address is reached through its proxy only.", icon=_LOCK)
        return False
    if options.password_file is None or st.session_state.get(_GRANTED):
        return True
    try:
        right = password(options.password_file)
    except NoPasswordError:
        # Without its name: who asks has not been let in.
        st.error("The file with the password is gone: nobody can be let in.", icon=_LOCK)
        return False
    return _asked(right)


def _asked(right: str) -> bool:
    attempts = _attempts()
    with st.form("password", width=360):
        given = st.text_input("Password", type="password", autocomplete="current-password")
        sent = st.form_submit_button("Open the explorer", icon=":material/lock_open:")
    if not sent:
        return False
    if not attempts.allowed(time.monotonic()):
        st.warning("Too many wrong passwords. Try again in a minute.", icon=":material/timer:")
        return False
    if hmac.compare_digest(given.encode(), right.encode()):
        st.session_state[_GRANTED] = True
        st.rerun()
    attempts.wrong(time.monotonic())
    st.error("That is not the password.", icon=_LOCK)
    return False
