#!/bin/bash
sort -u -S 8M words.txt | wc -l > count.txt
