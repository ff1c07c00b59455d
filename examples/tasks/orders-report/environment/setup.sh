#!/bin/sh
# Make the input data, the same on every machine, and leave no trace of how it was made.
set -e
cd /app
python3 -I -S generate.py
rm generate.py
