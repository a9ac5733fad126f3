"""Shortening of private paths in tracebacks and messages before they are stored.

Stores and reports are passed on, and must not reveal the user's folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from dagathlon.modules.registry import FILES

_BEFORE, _AFTER = r"(?<![\w.~/-])", r"(?![\w-]|\.\w)"


def without_private_paths(text: str, files: Iterable[str] = ()) -> str:
    """Replace the home folder by ~, and the study's folders by '.', in a text.

    Paths in the folders of `files`, and of the modules that the user has added, become relative to
    that folder; those in the home folder begin with ``~``.

    Parameters
    ----------
    text
        A traceback, a message or the output of a program.
    files
        Files of the study.
    """
    if "/" not in text:
        return text
    added = os.environ.get(FILES, "").split(os.pathsep)
    folders = {str(Path(file).parent) for file in (*files, *added) if file}
    for folder in sorted(folders, key=len, reverse=True):
        text = _replaced(text, folder, ".")
    for home in _homes():
        text = _replaced(text, home, "~")
    return text


def _homes() -> set[str]:
    """Return the home folder as named, and with links resolved."""
    named = os.path.expanduser("~")
    return {named, os.path.realpath(named)}


def _replaced(text: str, folder: str, short: str) -> str:
    if not os.path.isabs(folder) or folder == "/" or folder not in text:
        return text
    return re.sub(_BEFORE + re.escape(folder) + _AFTER, short, text)
