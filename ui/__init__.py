"""What people see: the command line, terminal reports and, later, the explorer.

The only package that wires the others together, and the only one that prints. ``cli``
holds one file a command and does all input and output; ``reports`` holds renderers that
turn values into something to print and touch nothing; ``palette``, ``text`` and
``tables`` are the grammar that all of them share.
"""
