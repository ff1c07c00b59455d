"""Pure functions from rows to charts: no query, no clock, no widget."""
