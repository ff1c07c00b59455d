#!/bin/bash
# Ask the broker who is in its cluster, and end well if it says: at least one.
#
# It is the question with which every client begins (Metadata, version 4, of no topic), written
# out byte by byte, because a program of Kafka's own would start a Java machine every time.
set -eu

exec 3<>/dev/tcp/127.0.0.1/9092
#       length          key,version     correlation     nobody  no topic        makes none
printf '\x00\x00\x00\x0f\x00\x03\x00\x04\x00\x00\x00\x07\xff\xff\x00\x00\x00\x00\x00' >&3
# length, correlation, throttle time, number of brokers: four bytes each
answer=$(head -c 16 <&3 | od -An -tx1 | tr -d ' \n')
[ "${answer:8:8}" = 00000007 ] && [ $((16#${answer:24:8})) -ge 1 ]
