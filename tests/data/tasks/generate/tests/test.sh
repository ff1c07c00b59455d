#!/bin/bash
grep -qx 12586269025 answer.txt && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
