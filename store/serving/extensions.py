"""DuckDB's extensions for serving, from the wheels that were installed with DuckDB.

Nothing is downloaded at run time: the wheels hold the extension files of exactly the pinned
version, and are loaded by path. Server and client need both: Quack speaks HTTP through httpfs.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from store.catalogue import serving
from store.database import Database
from store.errors import StoreRefusal

_NAMES: Final = ("httpfs", "quack")


def load_extensions(database: Database) -> None:
    """Load what serving needs into an open database.

    Raises:
        StoreRefusal: a wheel is missing or of another version.

    """
    for name in _NAMES:
        database.run(serving("load_extension").fill({"file": str(_file(name))}))


def _file(name: str) -> Path:
    spec = find_spec(f"duckdb_extension_{name}")
    places = [] if spec is None else spec.submodule_search_locations or []
    for place in places:
        for file in sorted(Path(place).glob(f"extensions/*/{name}.duckdb_extension")):
            return file
    raise StoreRefusal(
        f"DuckDB's extension {name} is not installed",
        remedy="install barograph with its [store] extra",
    )
