"""How far a counter moved. Pure, and apart, because probes and samples both ask."""


def delta(before: int | None, after: int | None) -> int | None:
    """Difference of two reads of one counter; 0 or more, or None.

    A counter that fell has begun again from 0 (a cgroup of the same name was made anew,
    somebody reset the kernel's value): what it shows now is the least that happened since.
    A counter that is missing on either side has no difference: None, never 0.
    """
    if before is None or after is None:
        return None
    return after - before if after >= before else after
