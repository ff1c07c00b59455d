#!/bin/sh
# check.py ends with 0 for right and 10 for wrong. With anything else the verifier itself
# has failed: then there is no reward, which is another thing than a reward of 0.
python3 -I -S /tests/check.py
case $? in
0) echo 1 > /logs/verifier/reward.txt ;;
10) echo 0 > /logs/verifier/reward.txt ;;
*) exit 1 ;;
esac
