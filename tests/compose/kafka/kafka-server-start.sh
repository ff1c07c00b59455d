#!/bin/bash
# As the distribution's program of this name, of which the jars are all that Maven has.
# shellcheck disable=SC2086 # a list of words
exec java ${KAFKA_HEAP_OPTS:--Xms1G -Xmx1G} -cp '/opt/kafka/libs/*' kafka.Kafka "$@"
