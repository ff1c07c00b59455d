#!/bin/bash
echo "Hello, $(cat names.txt)!" > greeting.txt
