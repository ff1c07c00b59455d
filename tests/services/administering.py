"""What an administrator does to brokers while others use them."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    KafkaAdminClient,
    ResourcePattern,
    ResourceType,
)

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import settings


def make_topic(brokers: Brokers, configs: Mapping[str, str]) -> None:
    """A topic with settings that are not ours."""
    with _admin(brokers) as admin:
        admin.create_topics(
            {brokers.topic: {"num_partitions": 3, "replication_factor": 1, "configs": configs}},
            wait_for_metadata=True,
        )


def add_partitions(brokers: Brokers, count: int) -> None:
    """Let the topic have so many from now on."""
    with _admin(brokers) as admin:
        admin.create_partitions({brokers.topic: count})


def allow(brokers: Brokers, user: str) -> None:
    """Let a user do everything with topics, as who ``brokers`` says is asking."""
    topics = ResourcePattern(ResourceType.TOPIC, brokers.topic)
    everything = ACL(f"User:{user}", "*", ACLOperation.ALL, ACLPermissionType.ALLOW, topics)
    with _admin(brokers) as admin:
        admin.create_acls([everything])


def forbid(brokers: Brokers, user: str) -> None:
    """Take back what ``allow`` gave."""
    topics = ResourcePattern(ResourceType.TOPIC, brokers.topic)
    everything = ACL(f"User:{user}", "*", ACLOperation.ALL, ACLPermissionType.ALLOW, topics)
    with _admin(brokers) as admin:
        admin.delete_acls([everything])


@contextmanager
def _admin(brokers: Brokers) -> Generator[KafkaAdminClient]:
    client = KafkaAdminClient(**settings(brokers))
    try:
        yield client
    finally:
        client.close()
