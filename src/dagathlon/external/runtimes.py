"""The environments that a manifest can ask for by name."""

from __future__ import annotations

from pathlib import Path

from dagathlon.external.container import Apptainer, Docker
from dagathlon.external.environment import Environment
from dagathlon.external.toml_table import TomlTable
from dagathlon.external.uv import UvEnvironment

_KINDS = ("system", "uv", "apptainer", "docker")
_KEYS = {
    "system": ("kind", "hint", "commands", "r_packages"),
    "uv": ("kind", "hint", "script"),
    "apptainer": ("kind", "hint", "image"),
    "docker": ("kind", "hint", "image"),
}


def read_environment(section: TomlTable, folder: Path) -> Environment:
    """The environment that the manifest of a folder describes."""
    kind = section.choice("kind", _KINDS, "system")
    section.only(_KEYS[kind])
    hint = section.text("hint") if section.has("hint") else ""
    if kind == "system":
        commands = section.texts("commands", ())
        packages = section.texts("r_packages", ())
        needed = tuple(dict.fromkeys([*commands, *(["Rscript"] if packages else [])]))
        return Environment(folder, hint, needed, packages)
    if kind == "uv":
        script = section.text("script")
        if not (folder / script).is_file():
            raise section.fail("script", f"there is no file {folder / script}")
        return UvEnvironment(folder, hint, script=script)
    image = section.text("image")
    found = Apptainer if kind == "apptainer" else Docker
    return found(folder, hint, image=image)
