"""The log on Kafka, and the one home of its client.

A topic is a log whose streams are its partitions. A record's value is some whole lines of one
source, as they stand in that source's journal, and its key is the source: so a source's
events are in one partition, in order, and a reader moves bytes without taking them apart.

Whoever samples never writes here. ``KafkaLog.append`` waits for the broker; the shipper
(``barograph.shipping``) copies journals by ``sending``, in a process of its own.
"""
