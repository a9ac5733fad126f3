"""The environments that a manifest can request by name."""

from __future__ import annotations

from pathlib import Path

from dagathlon.errors import listing, suggestion
from dagathlon.external.container_found import ENGINES, AnyContainer
from dagathlon.external.environment import Environment
from dagathlon.external.toml_table import TomlTable
from dagathlon.external.uv import UvEnvironment

_KINDS = ("system", "uv", "container", *ENGINES)
_KEYS = {
    "system": ("kind", "hint", "commands", "r_packages"),
    "uv": ("kind", "hint", "script"),
    "container": ("kind", "hint", "image", "engines"),
    **dict.fromkeys(ENGINES, ("kind", "hint", "image")),
}


def read_environment(section: TomlTable, folder: Path) -> Environment:
    """Return the environment described by a folder's manifest."""
    plain = "container" if section.has("image") else "system"
    kind = section.choice("kind", _KINDS, plain)
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
    if kind == "container":
        return AnyContainer(folder, hint, image=image, engines=_engines(section))
    return ENGINES[kind](folder, hint, image=image)


def _engines(section: TomlTable) -> tuple[str, ...]:
    """Return the container engines named by a manifest, in its order; by default all."""
    names = section.texts("engines", tuple(ENGINES))
    for name in names:
        if name not in ENGINES:
            hint = suggestion(name, ENGINES)
            raise section.fail(
                "engines", f"found {name!r}{hint}, expected some of {listing(ENGINES)}"
            )
    if not names:
        raise section.fail("engines", f"is empty, expected some of {listing(ENGINES)}")
    return names
