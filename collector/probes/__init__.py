"""Probes: where raw counters come from.

One module for each source of numbers: cgroup v1, cgroup v2, a process tree (by psutil,
where there is no cgroup), the host, the collector itself. A target's probe holds to
``port.Probe``; ``opening`` picks one. A part that cannot be read here is a ``Gap`` with
its reason, said once as an event; its numbers are None, never 0.
"""
