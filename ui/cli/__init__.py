"""The command line: ``main`` starts it, ``registry`` lists it, each command is a file."""
