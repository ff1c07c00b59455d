#!/bin/bash
# 40,000 lines, 1,000 of them different.
python3 - > words.txt <<'PY'
for number in range(40_000):
    print(f"word-{number * 7919 % 1000}")
PY
