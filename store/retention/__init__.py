"""Pruning: what would go, and making it go, from the tables, the journal and the disk."""
