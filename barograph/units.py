"""Sizes and cores: what users write, what the kernel wants, what people read.

``parse_bytes`` reads Kubernetes' and Docker's spellings. A bare ``2GB`` is refused on
purpose: half of the tools read it as 10^9 and half as 2^30, and a ceiling that is 7%
off is exactly the kind of noise that this project exists to find.
"""

import math
import re
from typing import Final

from barograph.errors import InputError

KIB: Final = 1024
MIB: Final = 1024**2
GIB: Final = 1024**3

_BINARY: Final = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": 1024**4}
_SIZE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[KMGT]?)(?:i(?:B)?)?", re.ASCII)
_CORES: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<milli>m?)", re.ASCII)
_MULTIPLE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*x", re.ASCII)

_LARGEST_BYTES: Final = 2**62
_SIGNIFICANT: Final = 3
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 24 * _HOUR_S
_DAYS_FROM_S: Final = 2 * _DAY_S


def parse_bytes(value: object, *, where: object = None, field: str | None = None) -> int:
    """Read ``512M``, ``512Mi``, ``512MiB``, ``2G`` or an integer count of bytes.

    Suffixes are powers of 1024, as in Harbor's task files and in Kubernetes' ``Mi``.

    Args:
        value: text or integer, more than 0.
        where: the file, for the error.
        field: the field, for the error.

    Returns:
        Bytes.

    Raises:
        InputError: no such size, 0 or below, or an ambiguous ``MB``/``GB``.

    """
    remedy = "write a size above 0 such as '512M', '2G' or '2GiB' (powers of 1024)"
    if isinstance(value, bool):
        raise InputError("not a size", where=where, field=field, value=value, remedy=remedy)
    if isinstance(value, int):
        size = float(value)
    else:
        match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        if match is None:
            raise InputError("not a size", where=where, field=field, value=value, remedy=remedy)
        size = float(match["number"]) * _BINARY[match["unit"]]
    if not 1 <= size <= _LARGEST_BYTES:
        raise InputError("out of range", where=where, field=field, value=value, remedy=remedy)
    return round(size)


def parse_cores(value: object, *, where: object = None, field: str | None = None) -> float:
    """Read ``1.5``, ``"1.5"`` or ``"500m"`` as a number of cores above 0.

    Raises:
        InputError: not a number of cores, or 0 or below.

    """
    remedy = "write a number of cores above 0 such as 1.5 or '500m'"
    cores = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        cores = float(value)
    elif isinstance(value, str) and (match := _CORES.fullmatch(value.strip())):
        cores = float(match["number"]) / (1000 if match["milli"] else 1)
    if not (math.isfinite(cores) and cores > 0):
        raise InputError(
            "not a number of cores", where=where, field=field, value=value, remedy=remedy
        )
    return cores


def parse_multiple(value: object) -> float | None:
    """Read ``"1.5x"`` as 1.5; None when ``value`` is not written as a multiple."""
    match = _MULTIPLE.fullmatch(value.strip()) if isinstance(value, str) else None
    return float(match["number"]) if match else None


def format_bytes(size: int | None) -> str:
    """Three significant digits in powers of 1024: ``61.5 MiB``; a dash for unknown."""
    if size is None:
        return "–"
    scaled, units = float(size), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    unit = units[0]
    for unit in units:
        if abs(scaled) < KIB or unit == units[-1]:
            break
        scaled /= KIB
    if unit == "B":
        return f"{size} B"
    whole_digits = len(str(int(abs(scaled))))
    digits = max(0, _SIGNIFICANT - whole_digits)
    text = f"{scaled:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"


def format_duration(seconds: float | None) -> str:
    """``850 ms``, ``3.2 s``, ``4 min 05 s``, ``2 h 10 min``, ``3 d 04 h``; a dash for unknown."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if abs(seconds) < 1:
        return f"{seconds * 1000:.0f} ms"
    if round(abs(seconds), 1) < _MINUTE_S:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S} min {whole % _MINUTE_S:02d} s"
    if whole < _DAYS_FROM_S:
        return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S:02d} min"
    return f"{whole // _DAY_S} d {whole % _DAY_S // _HOUR_S:02d} h"


def format_cores(cores: float | None) -> str:
    """``1.5 cores``; a dash for unknown."""
    if cores is None:
        return "–"
    return f"{cores:g} core" + ("" if cores == 1 else "s")
