"""What the pages of the explorer ask: typed rows over named queries, a module a page."""
