"""The collector: watch cgroups while trials run in them, and say what was seen.

It is a process of its own (``python -m collector --dir DIR``), because what it records
must not depend on how busy, or how alive, the runner is. One single-threaded loop waits on
one epoll for everything: the tick, the kernel's OOM notifications, the kernel log, and a Unix
socket to which targets are announced (``watch``) and from which they are dismissed
(``finish``). Whatever can wait for a disk has a thread of its own (``behind``).

``probes`` read raw counters; ``rates`` turns them into samples; ``cadence`` keeps the
second; ``kills`` joins counters, kernel log and pids to one fact for each kill. The
package knows targets, not commands or trials: those are joined in the store.
"""
