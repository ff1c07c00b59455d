"""A scripted agent that likes to keep as little in memory as it can."""

from scripted import Taste, main

TASTE = Taste(name="thrifty", prefers="lean", preference=0.85, gives_in=0.9)

if __name__ == "__main__":
    main(TASTE)
