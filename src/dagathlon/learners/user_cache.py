"""The cache folder of the user, for files kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

from dagathlon.errors import UnavailableError


def cache_folder() -> Path:
    """Return our folder in the user's cache directory, created if absent."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "dagathlon"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"{folder}: cannot be made ({error.strerror})") from None
    return folder
