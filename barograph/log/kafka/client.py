"""How we speak to brokers: the settings of every client, and what their errors mean.

A client asks a broker for its version as it is made, and this is where a broker that is away
is met first: the one wait of the client that is bounded for certain. (With a version named
beforehand it is made at once, but the first question for the topic then waits for ever.)
"""

import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final

from kafka import errors
from kafka.net.compat import KafkaNetClient

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.silence import listens, reason
from barograph.log.port import LogError

_LOGIN_REMEDY: Final = "look at BAROGRAPH_KAFKA_USER, _PASSWORD_FILE and _MECHANISM"
WITHIN_S: Final = 10.0
"""A broker that does not answer for so long is away."""
RECORD_BYTES: Final = 256 << 10
"""Of a record's lines before they are packed."""
LARGEST_BYTES: Final = 16 << 20
"""Of a record that a topic of ours takes: one line may be as long as a loader reads."""


class UnreachableBrokerError(LogError):
    """No broker answers; it may later."""


class RefusedByBrokerError(LogError):
    """A broker answers, and does not let us: who we are, what we may, or what it is told to do."""


class TooLargeError(LogError):
    """A broker does not take a record so large."""


Settings = dict[str, object]


def settings(brokers: Brokers, *, within_s: float = WITHIN_S) -> Settings:
    """What producer, consumer and admin client have in common.

    Args:
        brokers: where they are, and who we are.
        within_s: the longest wait for a broker, and for the answer to a request.

    """
    made: Settings = {
        "bootstrap_servers": list(brokers.servers),
        "bootstrap_timeout_ms": int(1000 * within_s),
        "request_timeout_ms": int(1000 * within_s),
        "reconnect_backoff_max_ms": 1_000,
        "security_protocol": _protocol(brokers),
    }
    if brokers.tls is not None:
        made["ssl_context"] = _context(brokers)
    if brokers.login is not None:
        made |= {
            "sasl_mechanism": brokers.login.mechanism,
            "sasl_plain_username": brokers.login.user,
            "sasl_plain_password": brokers.login.password,
        }
    return made


@contextmanager
def told(brokers: Brokers, doing: str) -> Generator[None]:
    """Say what an error of the client means, as one of ours.

    Args:
        brokers: spoken to in the block.
        doing: what was tried, for the sentence: ``read the log``.

    """
    try:
        yield
    except errors.KafkaConfigurationError:
        raise  # of settings: ours alone, so a bug
    except errors.KafkaError as error:
        raise meaning(error, brokers, doing) from error


@contextmanager
def made(brokers: Brokers, doing: str) -> Generator[Callable[..., object]]:
    """``told`` for the block in which a client is made; gives it its ``kafka_client``.

    A client that waits in vain for a broker leaves a thread and four descriptors behind, for
    every attempt: after an hour a process may open no more. So what it was made of is closed.

    A broker that does not take a login closes the connection without a word, and the client
    tries again until its time is over. So whether anybody listens there is looked at here, and
    why it does not speak with us (``silence``).
    """
    parts: list[KafkaNetClient] = []

    def part(**configs: object) -> KafkaNetClient:
        parts.append(KafkaNetClient(**configs))
        return parts[-1]

    try:
        with told(brokers, doing), _closed_on_failure(parts):
            yield part
    except UnreachableBrokerError as error:
        there = next(filter(listens, brokers.servers), None)
        if there is None:
            raise
        context = None if brokers.tls is None else _context(brokers)
        problem, remedy = reason(there, context, login=brokers.login is not None)
        raise RefusedByBrokerError(
            f"cannot {doing}: {problem}", where=brokers.url, remedy=remedy
        ) from error


def refuse_if_nobody_listens(brokers: Brokers, doing: str) -> None:
    """Say at once what the client says after a while.

    Raises:
        UnreachableBrokerError: no broker takes connections.

    """
    if not any(map(listens, brokers.servers)):
        raise meaning(errors.Cancelled(), brokers, doing)


@contextmanager
def _closed_on_failure(parts: list[KafkaNetClient]) -> Generator[None]:
    try:
        yield
    except BaseException:
        for part in parts:
            with suppress(Exception):  # it is of no more use, whatever it has to say
                part.close()
        raise


def meaning(error: Exception, brokers: Brokers, doing: str) -> LogError:
    """One of our errors for one of the client's."""
    where = brokers.url
    for kinds, refusal, problem, remedy in _MEANINGS:
        if isinstance(error, kinds):
            return refusal(f"cannot {doing}: {problem}", where=where, remedy=remedy)
    said = type(error).__name__.removesuffix("Error")
    return LogError(f"cannot {doing}: the broker answers {said}", where=where)


def _protocol(brokers: Brokers) -> str:
    match brokers.login is not None, brokers.tls is not None:
        case True, True:
            return "SASL_SSL"
        case True, False:
            return "SASL_PLAINTEXT"
        case False, True:
            return "SSL"
        case _:
            return "PLAINTEXT"


def _context(brokers: Brokers) -> ssl.SSLContext:
    tls = brokers.tls
    assert tls is not None  # noqa: S101 - asked for where there is TLS
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
        if tls.certificate_file is not None:
            context.load_cert_chain(tls.certificate_file, tls.key_file)
    except (OSError, ssl.SSLError) as error:
        raise RefusedByBrokerError(
            "the files for TLS cannot be used", where=brokers.url, remedy="they have to be PEM"
        ) from error
    return context


_Kinds = tuple[type[Exception], ...]
_MEANINGS: Final[tuple[tuple[_Kinds, type[LogError], str, str | None], ...]] = (
    (
        (errors.SaslAuthenticationFailedError, errors.UnsupportedSaslMechanismError),
        RefusedByBrokerError,
        "the broker does not know this user, password or mechanism",
        _LOGIN_REMEDY,
    ),
    (
        (errors.AuthorizationError,),
        RefusedByBrokerError,
        "this user may not do it",
        "let it read, write and describe the topic",
    ),
    (
        (errors.MessageSizeTooLargeError, errors.RecordListTooLargeError),
        TooLargeError,
        "a record is too large for the broker",
        "raise max.message.bytes of the topic",
    ),
    (
        (errors.UnknownTopicOrPartitionError,),
        RefusedByBrokerError,
        "there is no such topic",
        "'barograph ship' makes it",
    ),
    (
        (errors.NotEnoughReplicasError, errors.NotEnoughReplicasAfterAppendError),
        UnreachableBrokerError,
        "fewer replicas are in sync than min.insync.replicas wants",
        "it goes on when the others are back",
    ),
    (
        (errors.KafkaStorageError,),
        UnreachableBrokerError,
        "the broker cannot write its own log",
        "look at the broker's disk",
    ),
    (
        (errors.RetriableError, errors.Cancelled),
        UnreachableBrokerError,
        "no broker answers",
        "it goes on when one does",
    ),
)
