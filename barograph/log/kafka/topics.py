"""The topic itself: made once, with what is stated here, and looked at by the doctor.

Made by hand it would have one partition, a week of retention, and records of at most 1 MiB.
"""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka import errors
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import LARGEST_BYTES, made, settings, told

if TYPE_CHECKING:
    from kafka.admin import TopicDescription

PARTITIONS: Final = 6
"""Sources are spread over them by their names; one loader reads all."""
REPLICATION: Final = 3
IN_SYNC: Final = 2
"""With three replicas: one may be away, and what was acknowledged is on two disks."""
RETENTION_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """How a topic is."""

    partitions: int
    replication: int
    in_sync: int
    retention_ms: int
    """-1: for ever."""
    largest_bytes: int
    """Of a batch of records."""
    may: frozenset[str] = frozenset()
    """What this user may do with it, in Kafka's words: ``READ``, ``WRITE`` ..."""


def ensure_topic(brokers: Brokers) -> Topic | None:
    """Make the topic if there is none.

    Replicas are three where there are three brokers, else as many as there are.

    Returns:
        How it was made; None: it was there.

    Raises:
        LogError: no broker answers, or it does not let us.

    """
    with told(brokers, "make the topic"), closing(_admin(brokers)) as admin:
        if brokers.topic in admin.list_topics():
            return None
        count = len(admin.describe_cluster()["brokers"])
        replication = min(REPLICATION, count)
        made = Topic(
            partitions=PARTITIONS,
            replication=replication,
            in_sync=IN_SYNC if replication >= REPLICATION else 1,
            retention_ms=RETENTION_DAYS * 86_400_000,
            largest_bytes=LARGEST_BYTES,
        )
        try:
            admin.create_topics({brokers.topic: _options(made)}, wait_for_metadata=True)
        except errors.TopicAlreadyExistsError:
            return None  # another was faster
        return made


def look_at_topic(brokers: Brokers) -> Topic | None:
    """How the topic is; None: there is none.

    Raises:
        LogError: no broker answers, or it does not let us.

    """
    with told(brokers, "look at the topic"), closing(_admin(brokers)) as admin:
        described = _described(admin, brokers.topic)
        if described is None:
            return None
        partitions = described["partitions"]
        values = _values(admin, brokers.topic)
        return Topic(
            partitions=len(partitions),
            replication=min(len(partition["replica_nodes"]) for partition in partitions),
            in_sync=int(values["min.insync.replicas"]),
            retention_ms=int(values["retention.ms"]),
            largest_bytes=int(values["max.message.bytes"]),
            may=frozenset(described.get("authorized_operations") or ()),
        )


def identity_of_topic(brokers: Brokers) -> str:
    """What tells the topic from one of the same name that is made after it was deleted.

    Raises:
        RefusedByBrokerError: there is no such topic.
        LogError: no broker answers, or it does not let us.

    """
    with told(brokers, "look at the topic"), closing(_admin(brokers)) as admin:
        described = _described(admin, brokers.topic)
        if described is None:
            raise errors.UnknownTopicOrPartitionError
        return str(described["topic_id"])


def _described(admin: KafkaAdminClient, topic: str) -> "TopicDescription | None":
    """What the brokers say of a topic; None: there is none."""
    (described,) = admin.describe_topics([topic])
    if not described["error_code"]:
        return described
    error = errors.for_code(described["error_code"])
    if issubclass(error, errors.UnknownTopicOrPartitionError):
        return None
    raise error


def _options(topic: Topic) -> dict[str, object]:
    return {
        "num_partitions": topic.partitions,
        "replication_factor": topic.replication,
        "configs": {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "max.message.bytes": str(topic.largest_bytes),
            "min.insync.replicas": str(topic.in_sync),
            "retention.ms": str(topic.retention_ms),
            # A broker that has lost what it acknowledged must not lead.
            "unclean.leader.election.enable": "false",
        },
    }


def _values(admin: KafkaAdminClient, topic: str) -> dict[str, str]:
    """All settings of a topic."""
    asked = ConfigResource(ConfigResourceType.TOPIC, topic)
    answered = admin.describe_configs([asked], config_filter="all")
    return {name: one["value"] for name, one in answered["topic"][topic].items()}


def _admin(brokers: Brokers) -> KafkaAdminClient:
    with made(brokers, "look at the topic") as part:
        return KafkaAdminClient(**settings(brokers), kafka_client=part)
