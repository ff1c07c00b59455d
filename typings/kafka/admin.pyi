from collections.abc import Mapping
from enum import IntEnum
from typing import NotRequired, TypedDict

class _Partition(TypedDict):
    replica_nodes: list[int]

class TopicDescription(TypedDict):
    error_code: int
    topic_id: object
    authorized_operations: NotRequired[list[str] | None]
    partitions: list[_Partition]

class _Cluster(TypedDict):
    brokers: list[object]

class _Value(TypedDict):
    value: str

class ConfigResourceType(IntEnum):
    TOPIC = 2

class ConfigResource:
    def __init__(self, resource_type: ConfigResourceType, name: str) -> None: ...

class ResourceType(IntEnum):
    TOPIC = 2

class ACLOperation(IntEnum):
    ALL = 2

class ACLPermissionType(IntEnum):
    ALLOW = 3

class ResourcePattern:
    def __init__(self, resource_type: ResourceType, resource_name: str) -> None: ...

class ACL:
    def __init__(
        self,
        principal: str,
        host: str,
        operation: ACLOperation,
        permission_type: ACLPermissionType,
        resource_pattern: ResourcePattern,
    ) -> None: ...

class KafkaAdminClient:
    def __init__(self, **configs: object) -> None: ...
    def list_topics(self) -> list[str]: ...
    def describe_cluster(self) -> _Cluster: ...
    def describe_topics(self, topics: list[str]) -> list[TopicDescription]: ...
    def describe_configs(
        self, config_resources: list[ConfigResource], *, config_filter: str
    ) -> dict[str, dict[str, dict[str, _Value]]]: ...
    def create_topics(
        self, new_topics: Mapping[str, Mapping[str, object]], *, wait_for_metadata: bool
    ) -> object: ...
    def create_partitions(self, topic_partitions: Mapping[str, int]) -> object: ...
    def create_acls(self, acls: list[ACL]) -> object: ...
    def delete_acls(self, acl_filters: list[ACL]) -> object: ...
    def close(self) -> None: ...
