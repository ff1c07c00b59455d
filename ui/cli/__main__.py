"""``python -m ui.cli``: the program without its script, as a server of the store is started."""

from ui.cli.main import main

if __name__ == "__main__":
    main()
