#!/bin/sh
exec python3 -I -S /solution/solve.py
