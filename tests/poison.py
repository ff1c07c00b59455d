"""What may stand on a topic and is no event, and events that only a later version knows."""

from kafka import KafkaProducer

from barograph.log.kafka.address import Brokers

POISON: dict[str, bytes | None] = {
    "not JSON": b"this is no event\n",
    "half a line": b'{"v":1,"type":"sample","sour',
    "wrong types": b'{"v":"1","type":5,"source":null,"seq":"x","data":[]}\n',
    "10 MB": b'{"v":1,"type":"phase.started","pad":"' + b"x" * (10 << 20) + b'"}\n',
    "nothing": b"",
    "a tombstone": None,
    "an empty line": b"\n",
    "null bytes": b"\0\0\0\0\n",
    "invalid UTF-8": b'{"v":1,"type":"\xff\xfe"}\n',
}
KNOWN_LATER = {
    "an unknown type": {"v": 1, "type": "weather.changed", "data": {"rain": True}},
    "a version of the future": {"v": 99, "type": "phase.started", "data": {"phase": "agent"}},
}


def produce(topic: Brokers, values: list[bytes | None], *, partition: int | None = None) -> None:
    producer = KafkaProducer(bootstrap_servers=list(topic.servers), max_request_size=1 << 24)
    sent = [
        producer.send(topic.topic, value=value, key=b"poison", partition=partition)
        for value in values
    ]
    for future in sent:
        future.get(timeout=30)
    producer.close(timeout=5)
