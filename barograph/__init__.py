"""The contract: what can be said about an eval trial, and the log it is said to.

Everything that happened is an event in an append-only log; every table, report and
picture is a fold of it. This package holds what all other packages agree on: the
payload types (``barograph.facts``), the envelope and its codec, the metric table,
units, clocks, errors, and the log port with its backends (``barograph.log``).
It imports none of the other packages.
"""

__version__ = "0.1.0"
