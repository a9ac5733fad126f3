"""The bundled studies."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import dagathlon
from dagathlon.errors import StudyError, unknown

_FOLDER = "studies"


@cache
def examples() -> dict[str, Path]:
    """Return the files of the bundled studies, by name."""
    package = Path(dagathlon.__file__).parent
    # Installed they lie inside the package; in a checkout, beside its sources.
    places = (package / _FOLDER, package.parents[1] / _FOLDER)
    files = next((sorted(place.glob("*.json")) for place in places if place.is_dir()), [])
    return {file.stem: file for file in files}


def example(name: str) -> str:
    """Return the text of a bundled study."""
    text = examples().get(name.removesuffix(".json"))
    if text is None:
        raise StudyError(unknown("example", name, examples(), "--example"))
    return text.read_text("utf-8")


def hint_for(path: Path) -> str:
    """Return how to get the bundled study that a missing path seems to mean; empty if none."""
    if path.stem not in examples():
        return ""
    return f"; dagathlon new study {path.name} --example {path.stem} writes the one of that name"
