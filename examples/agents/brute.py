"""A scripted agent that likes to have everything in memory."""

from scripted import Taste, main

TASTE = Taste(name="brute", prefers="heavy", preference=0.85, gives_in=0.6)

if __name__ == "__main__":
    main(TASTE)
