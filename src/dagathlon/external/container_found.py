"""Containers with whichever program this machine has for them."""

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

ENGINES: dict[str, type[ContainerEngine]] = {
    "podman": Podman,
    "docker": Docker,
    "apptainer": Apptainer,
}
"""The programs that run containers, in the order in which they are tried."""
ORDER = "DAGATHLON_CONTAINERS"
"""Environment variable: which of them to try, in this order, with commas between."""


@dataclass(frozen=True)
class FoundContainer(Environment):
    """An image that any of the known programs runs: one that has it already, else the first.

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
        """Why none of the programs can run the image."""
        try:
            self._choose()
        except UnavailableError as error:
            return str(error)
        return ""

    def prepare(self, say: Say) -> None:
        """Fetch the image with the first program that works and can run it."""
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
        """The command as the chosen program writes it."""
        return self._engine().command(words, values, work)

    @property
    def ends_with_input(self) -> bool:  # type: ignore[override]
        """As the chosen program has it."""
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
        """The programs in their order, those that have the image first."""
        names = _order() or self.engines
        if (self.folder / self.image).is_file():
            names = tuple(name for name in names if name == "apptainer")
        made = [ENGINES[name](self.folder, self.hint, image=self.image) for name in names]
        return sorted(made, key=lambda engine: not engine.has_image())


# To ask programs what they can do takes longer than many a run.
_chosen: dict[FoundContainer, ContainerEngine] = {}


def _order() -> tuple[str, ...]:
    """What the user says of the order."""
    names = tuple(name.strip() for name in os.environ.get(ORDER, "").split(",") if name.strip())
    for name in names:
        if name not in ENGINES:
            hint = suggestion(name, ENGINES)
            raise UnavailableError(f"{ORDER}: found {name!r}{hint}, expected {listing(ENGINES)}")
    return names
