#!/bin/bash
# Format the disk where it is new, then be the broker.
set -eu

programs=/opt/kafka/bin
properties=/etc/barograph/server.properties
inside="INSIDE://kafka:19092"

if [ ! -e /var/lib/kafka/data/meta.properties ]; then
    "$programs/kafka-storage.sh" format --config "$properties" \
        --cluster-id "$("$programs/kafka-storage.sh" random-uuid)"
fi
exec "$programs/kafka-server-start.sh" "$properties" \
    --override "advertised.listeners=$inside,OUTSIDE://$OUTSIDE"
