"""Pure renderers: a value in, something that rich can print out. No file, clock or query."""
