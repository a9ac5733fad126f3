"""The environments that a manifest can request by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dagathlon.errors import UnavailableError, listing, suggestion
from dagathlon.external.container import Apptainer, ContainerEngine
from dagathlon.external.environment import Environment, Say
from dagathlon.external.image_store import Docker, Podman
from dagathlon.external.toml_table import TomlTable
from dagathlon.external.uv import UvEnvironment

ENGINES: dict[str, type[ContainerEngine]] = {
    "podman": Podman,
    "docker": Docker,
    "apptainer": Apptainer,
}
"""Container engines by name, in the order in which they are tried."""
ORDER = "DAGATHLON_CONTAINERS"
"""Environment variable with the container programs to try, in this order, comma-separated."""


@dataclass(frozen=True)
class AnyContainer(Environment):
    """Image run by the first usable engine, preferring one that already has the image.

    Parameters
    ----------
    image
        Name of the image; a file of the module's folder is one of Apptainer's.
    engines
        The programs to try, in this order, unless the user says others.
    """

    can_serve: ClassVar[bool] = False

    image: str = ""
    engines: tuple[str, ...] = tuple(ENGINES)

    def missing(self) -> str:
        """Return why none of the engines can run the image; else empty."""
        try:
            self._choose()
        except UnavailableError as error:
            return str(error)
        return ""

    def prepare(self, say: Say) -> None:
        """Pull the image with the first engine that works and can run it."""
        problems = []
        for engine in self._candidates():
            if engine.missing():
                continue
            try:
                engine.prepare(say)
            except UnavailableError as error:
                problems.append(str(error))
                continue
            _chosen[self] = engine
            return
        raise UnavailableError("; ".join(problems) or self.missing())

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """Return the command in the chosen engine's syntax."""
        return self._engine().command(words, values, work)

    @property
    def ends_with_input(self) -> bool:  # type: ignore[override]
        """Whether the chosen engine's containers end when their input is closed."""
        return self._engine().ends_with_input

    def _engine(self) -> ContainerEngine:
        return _chosen[self] if self in _chosen else self._choose()

    def _choose(self) -> ContainerEngine:
        problems = []
        for engine in self._candidates():
            problem = engine.missing()
            if not problem:
                _chosen[self] = engine
                return engine
            problems.append(problem)
        raise UnavailableError(f"no program can run its container: {'; '.join(problems)}")

    def _candidates(self) -> list[ContainerEngine]:
        """Return the engines to try, those that have the image first."""
        names = _order() or self.engines
        if (self.folder / self.image).is_file():
            names = tuple(name for name in names if name == "apptainer")
        made = [ENGINES[name](self.folder, self.hint, image=self.image) for name in names]
        return sorted(made, key=lambda engine: not engine.has_image())


# Probing the programs can take longer than a run.
_chosen: dict[AnyContainer, ContainerEngine] = {}


def _order() -> tuple[str, ...]:
    """Return the engine order that the user set by the environment variable; empty if unset."""
    names = tuple(name.strip() for name in os.environ.get(ORDER, "").split(",") if name.strip())
    for name in names:
        if name not in ENGINES:
            hint = suggestion(name, ENGINES)
            raise UnavailableError(f"{ORDER}: found {name!r}{hint}, expected {listing(ENGINES)}")
    return names


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
