"""A shared log: do its brokers answer, do they let us, is the topic there and wide enough."""

import os
import socket
from collections.abc import Iterator
from typing import Final

from barograph.errors import BarographError
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import LARGEST_BYTES, RECORD_BYTES
from barograph.log.kafka.topics import IN_SYNC, Topic, look_at_topic
from barograph.units import format_bytes, format_duration
from ui.checks.check import Check, fail, ok, warn

_CONNECT_WITHIN_S: Final = 3.0
_DAY_MS: Final = 86_400_000
_LONG_MS: Final = 7 * _DAY_MS


def broker_checks(url: str) -> list[Check]:
    """Every check of this file; of those that hang on an earlier one only as far as it goes.

    Raises:
        InputError: it is no address, or the environment's settings for Kafka are wrong.

    """
    brokers = Brokers.of(url, os.environ)
    checks = [_connected(server) for server in brokers.servers]
    if all(check.state != "ok" for check in checks):
        return [one if one.state == "ok" else _failed(one) for one in checks]
    try:
        topic = look_at_topic(brokers)
    except BarographError as error:
        return [*checks, fail("brokers", error.problem, error.remedy or "look at the brokers")]
    checks.append(ok("brokers", _identity(brokers)))
    if topic is None:
        said = f"there is no topic {brokers.topic}"
        return [*checks, warn("topic", said, "'barograph ship' or a sweep with --log makes it")]
    return [*checks, *_topic_checks(brokers.topic, topic)]


def _connected(server: str) -> Check:
    host, _, port = server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_WITHIN_S):
            return ok(f"broker {server}", "takes connections")
    except OSError as error:
        said = f"does not answer ({error.strerror or error})"
        return warn(f"broker {server}", said, "is it up, and is this its address?")


def _failed(check: Check) -> Check:
    return fail(check.name, check.said, check.remedy or "")


def _identity(brokers: Brokers) -> str:
    who = "anybody" if brokers.login is None else f"user {brokers.login.user}"
    return f"answer {who}{'' if brokers.tls is None else ', by TLS'}"


def _topic_checks(name: str, topic: Topic) -> Iterator[Check]:
    days = "for ever" if topic.retention_ms < 0 else format_duration(topic.retention_ms / 1000)
    parts = f"{name}: {topic.partitions} partitions, kept {days}"
    if 0 <= topic.retention_ms < _LONG_MS:
        remedy = "raise retention.ms, or load more often than that"
        yield warn("topic", parts, remedy)
    else:
        yield ok("topic", parts)
    yield _allowed(topic)
    yield _copies(topic)
    yield _width(topic)


def _allowed(topic: Topic) -> Check:
    missing = {"READ", "WRITE", "DESCRIBE"} - topic.may if topic.may else set[str]()
    if missing:
        said = f"this user may not {' or '.join(sorted(missing)).lower()}"
        return fail("permission", said, "shippers write and describe, stores read and describe")
    return ok("permission", "this user may read and write")


def _copies(topic: Topic) -> Check:
    said = f"{topic.replication} replicas, of which {topic.in_sync} must have a record"
    if topic.replication < topic.in_sync:
        return fail("copies", said, "nothing can be written: lower min.insync.replicas")
    if topic.in_sync < IN_SYNC:
        return warn("copies", said, "a broker that is lost takes acknowledged events with it")
    return ok("copies", said)


def _width(topic: Topic) -> Check:
    said = f"takes records of {format_bytes(topic.largest_bytes)}"
    if topic.largest_bytes < RECORD_BYTES:
        remedy = f"set max.message.bytes to {LARGEST_BYTES}: records are of {RECORD_BYTES} bytes"
        return fail("width", said, remedy)
    if topic.largest_bytes < LARGEST_BYTES:
        remedy = f"set max.message.bytes to {LARGEST_BYTES}, or longer lines stay in the journal"
        return warn("width", said, remedy)
    return ok("width", said)
