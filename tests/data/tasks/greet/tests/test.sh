#!/bin/bash
# The exit code means nothing; what counts is the reward file.
if [ "$(cat greeting.txt)" = "Hello, World!" ]; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
exit 3
