"""Sizes and cores: what is read, what is refused, and that printing never lies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.errors import InputError
from barograph.units import (
    GIB,
    MIB,
    format_bytes,
    format_cores,
    format_duration,
    parse_bytes,
    parse_cores,
    parse_multiple,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 * MIB),
        ("512Mi", 512 * MIB),
        ("512MiB", 512 * MIB),
        ("2G", 2 * GIB),
        ("1.5G", 3 * GIB // 2),
        (" 64 K ", 65536),
        ("1T", 1024 * GIB),
        ("4096", 4096),
        (8192, 8192),
    ],
)
def test_sizes_are_powers_of_1024(text: object, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "value",
    [
        "2GB",
        "2gb",
        "-1G",
        "0",
        0,
        -5,
        "",
        "G",
        "1e9",
        "٣M",
        "inf",
        "nan",
        None,
        True,
        1.5,
        [],
        "9999999T",
    ],
    ids=repr,
)
def test_what_is_no_size_is_refused_with_field_and_remedy(value: object) -> None:
    with pytest.raises(InputError) as caught:
        parse_bytes(value, where="sweep.toml", field="memory.ceiling")
    assert str(caught.value).startswith("sweep.toml: memory.ceiling = ")
    assert "'2GiB'" in str(caught.value)


@given(st.integers(1, 2**62))
def test_a_number_of_bytes_reads_back(size: int) -> None:
    if size < 2**53:
        assert parse_bytes(str(size)) == size
    assert parse_bytes(f"{size >> 10}K") == size >> 10 << 10 if size >= 1024 else True


@given(st.integers(0, 2**62))
def test_a_printed_size_is_within_a_hundredth_of_the_truth(size: int) -> None:
    text = format_bytes(size)
    number, unit = text.split(" ")
    scale = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}[unit]
    assert abs(float(number) * scale - size) <= size * 0.01


@pytest.mark.parametrize(("value", "cores"), [(1, 1.0), (0.5, 0.5), ("1.5", 1.5), ("500m", 0.5)])
def test_cores(value: object, cores: float) -> None:
    assert parse_cores(value) == cores


@pytest.mark.parametrize(
    "value", [0, -1, "0", "half", None, True, float("nan"), float("inf"), "1 2"], ids=repr
)
def test_what_is_no_number_of_cores_is_refused(value: object) -> None:
    with pytest.raises(InputError):
        parse_cores(value, field="cpus")


def test_multiples() -> None:
    assert parse_multiple("1.5x") == 1.5
    assert parse_multiple(" 3 x") == 3
    for other in ("512M", "x", 3, None, "-1x", "1.5"):
        assert parse_multiple(other) is None


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (64_500_000, "61.5 MiB"),
        (None, "–"),
        (-2048, "-2 KiB"),
    ],
)
def test_sizes_as_people_read_them(size: int | None, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.85, "850 ms"),
        (3.21, "3.2 s"),
        (59.97, "1 min 00 s"),
        (245, "4 min 05 s"),
        (7800, "2 h 10 min"),
        (172_799, "47 h 59 min"),
        (266_400, "3 d 02 h"),
        (None, "–"),
        (float("nan"), "–"),
    ],
)
def test_durations_as_people_read_them(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text


def test_cores_as_people_read_them() -> None:
    assert [format_cores(c) for c in (1.0, 0.5, None)] == ["1 core", "0.5 cores", "–"]
