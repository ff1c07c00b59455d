"""One module a page, each with a function ``render`` that draws it."""
