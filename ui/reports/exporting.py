"""What an export wrote, and what it left out."""

from dataclasses import asdict

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.units import format_bytes
from store.copying.exporting import Exported
from ui import tables
from ui.palette import DIM


def content(made: Exported) -> dict[str, object]:
    """What ``export --json`` answers."""
    return {
        "folder": str(made.root),
        "size_bytes": made.size_bytes,
        "manifest": asdict(made.manifest),
    }


def render(made: Exported) -> RenderableType:
    """Show an export for people."""
    manifest = made.manifest
    events = count(manifest.counts.events, "event")
    said = f"Copied {manifest.name} ({manifest.sweep}): {events}, {format_bytes(made.size_bytes)}."
    files: list[tuple[str, tables.Cell]] = [
        (one.path, f"{count(one.rows, 'row')}, {format_bytes(one.size_bytes)}: {one.says}")
        for one in manifest.files
    ]
    parts: list[RenderableType] = [
        tables.answer(said),
        tables.section(f"In {made.root}", tables.pairs(files)),
    ]
    if manifest.left_out:
        lines = [
            f"{one.what}{'' if one.events is None else f' ({one.events:,})'}: {one.why}"
            for one in manifest.left_out
        ]
        parts.append(tables.section("Not in it", tables.bullets(lines)))
    parts += [
        Text(),
        Text(f"'barograph load {made.root} --dir NEW' gives the same answers there.", style=DIM),
    ]
    return Group(*parts)
