"""Labels of graphs, parameters and data in tables, in Benchpress's path form."""

from __future__ import annotations

from dagathlon.study.config.library import FixedFile
from dagathlon.study.config.study_file import Part

_LAST = "standardized"


def label_of(part: Part | None) -> str:
    """``module/key=value/…`` of a setting, the label of a file, the word None for nothing."""
    if part is None:
        return "None"
    if isinstance(part, FixedFile):
        return part.label
    keys = [key for key in part.values if key != _LAST]
    keys += [key for key in part.values if key == _LAST]
    return "/".join([part.module.name, *(f"{key}={part.values[key]}" for key in keys)])
