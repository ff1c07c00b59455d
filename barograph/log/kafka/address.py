"""Which topic of which brokers, and who we are to them.

``kafka:HOST:PORT[,HOST:PORT ...][/TOPIC]`` is printed, kept in data folders and seen in
process lists, so nothing that lets anybody in is part of it. User and password, and how the
connection is made safe, come from the environment, or from files that it names; only
``client`` hands them to Kafka's client, and nothing here ever prints a password.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from barograph.errors import EnvironmentRefusal, InputError

SCHEME: Final = "kafka"
TOPIC: Final = "barograph.events"
VARIABLES: Final = "BAROGRAPH_KAFKA_"
"""What every variable that is read here begins with."""
MECHANISMS: Final = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN")

_FORM: Final = (
    "write kafka:HOST:PORT, several HOST:PORT with commas between, and /TOPIC behind them if it"
    " is not barograph.events"
)
_SERVER: Final = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})")
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
_YES: Final = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A user of the brokers."""

    user: str
    password: str = field(repr=False)
    mechanism: str = MECHANISMS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """How a broker shows that it is the right one, and we that we are."""

    ca_file: Path | None = None
    """None: the system's authorities."""
    certificate_file: Path | None = None
    key_file: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Brokers:
    """A topic of a Kafka cluster."""

    servers: tuple[str, ...]
    """``HOST:PORT``, of which one has to answer."""
    topic: str = TOPIC
    login: Login | None = None
    tls: Tls | None = None

    @property
    def url(self) -> str:
        """The address without anything secret."""
        topic = "" if self.topic == TOPIC else f"/{self.topic}"
        return f"{SCHEME}:{','.join(self.servers)}{topic}"

    @classmethod
    def of(cls, url: str, environment: Mapping[str, str]) -> Self:
        """Read an address, and from the environment who we are.

        Args:
            url: ``kafka:HOST:PORT[,HOST:PORT ...][/TOPIC]``.
            environment: ``BAROGRAPH_KAFKA_USER``, ``_PASSWORD`` or ``_PASSWORD_FILE``,
                ``_MECHANISM``; ``_TLS`` (yes or no), ``_CA_FILE``, ``_CERT_FILE``, ``_KEY_FILE``.

        Raises:
            InputError: one of them is wrong; passwords are not in the sentence.
            EnvironmentRefusal: a file that is named cannot be read.

        """
        servers, topic = _parts(url)
        told = _Environment(environment)
        tls = told.tls()
        return cls(servers=servers, topic=topic, login=told.login(secure=tls is not None), tls=tls)


def _parts(url: str) -> tuple[tuple[str, ...], str]:
    scheme, colon, rest = url.partition(":")
    if "@" in rest:
        # Not shown: it may be a password.
        raise InputError(
            "an address of Kafka holds no user or password",
            field="log",
            remedy=f"give them in {VARIABLES}USER and {VARIABLES}PASSWORD_FILE",
        )
    named, slash, topic = rest.partition("/")
    servers = tuple(named.split(","))
    for server in servers:
        found = _SERVER.fullmatch(server)
        if scheme != SCHEME or not colon or found is None or not 0 < int(found["port"]) < 1 << 16:
            raise InputError("not an address of Kafka", field="log", value=url, remedy=_FORM)
    topic = topic if slash else TOPIC
    if not _TOPIC.fullmatch(topic) or topic in {".", ".."}:
        raise InputError(
            "not a name of a topic",
            field="log",
            value=url,
            remedy="a topic has at most 249 letters, digits, '.', '_' and '-'",
        )
    return servers, topic


class _Environment:
    """The variables that are ours, each used or found wrong."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._values = {
            name.removeprefix(VARIABLES): value
            for name, value in environment.items()
            if name.startswith(VARIABLES) and value
        }

    def login(self, *, secure: bool) -> Login | None:
        user = self._values.get("USER")
        password = self._password()
        mechanism = self._values.get("MECHANISM", MECHANISMS[0])
        if mechanism not in MECHANISMS:
            raise InputError(
                "no such mechanism",
                field=f"{VARIABLES}MECHANISM",
                value=mechanism,
                remedy=f"one of {', '.join(MECHANISMS)}",
            )
        if user is None and password is None:
            return None
        if user is None or password is None:
            missing = "USER" if user is None else "PASSWORD_FILE"
            raise InputError(
                "a user and a password go together", remedy=f"set {VARIABLES}{missing}"
            )
        if mechanism == "PLAIN" and not secure:
            raise InputError(
                "PLAIN sends the password as it is, to be read on the way",
                field=f"{VARIABLES}MECHANISM",
                value=mechanism,
                remedy=f"use SCRAM-SHA-512, or {VARIABLES}TLS=yes with it",
            )
        return Login(user=user, password=password, mechanism=mechanism)

    def tls(self) -> Tls | None:
        ca, certificate, key = (self._file(name) for name in ("CA_FILE", "CERT_FILE", "KEY_FILE"))
        said = self._values.get("TLS")
        wanted = None if said is None else _YES.get(said.lower())
        if said is not None and wanted is None:
            raise InputError("neither yes nor no", field=f"{VARIABLES}TLS", value=said)
        given = any(file is not None for file in (ca, certificate, key))
        if wanted is False and given:
            raise InputError(
                "files for TLS are named, and TLS is turned off",
                field=f"{VARIABLES}TLS",
                value=said,
            )
        if (certificate is None) != (key is None):
            missing = "CERT_FILE" if certificate is None else "KEY_FILE"
            raise InputError(
                "a certificate and its key go together", remedy=f"set {VARIABLES}{missing}"
            )
        if not (wanted or given):
            return None
        return Tls(ca_file=ca, certificate_file=certificate, key_file=key)

    def _password(self) -> str | None:
        here, file = self._values.get("PASSWORD"), self._values.get("PASSWORD_FILE")
        if file is None:
            return here
        name = f"{VARIABLES}PASSWORD_FILE"
        if here is not None:
            raise InputError(f"a password is in {VARIABLES}PASSWORD too", field=name, value=file)
        try:
            text = Path(file).read_text(encoding="utf-8").strip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            problem = error.strerror if isinstance(error, OSError) else "not text"
            raise EnvironmentRefusal(
                f"the password cannot be read ({problem})", field=name, value=file
            ) from error
        if not text:
            raise InputError("the file holds no password", field=name, value=file)
        return text

    def _file(self, what: str) -> Path | None:
        named = self._values.get(what)
        if named is None:
            return None
        path = Path(named)
        if not path.is_file():
            raise EnvironmentRefusal(
                "there is no such file", field=f"{VARIABLES}{what}", value=named
            )
        return path
