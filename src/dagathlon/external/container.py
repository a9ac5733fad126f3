"""Programs in containers; /module is the module's folder, /work the folder of the run."""

from __future__ import annotations

import os
import shutil
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dagathlon.errors import UnavailableError
from dagathlon.external.cache import locked, short_hash
from dagathlon.external.environment import (
    OFFLINE,
    Environment,
    Say,
    cards_given,
    fill_placeholders,
    offline,
    output_of,
    threads_given,
)
from dagathlon.learners.user_cache import cache_folder
from dagathlon.processes.usage import MEMORY
from dagathlon.processes.variables import CARDS

MODULE = "/module"
"""Path of the module's folder inside the container."""
WORK = "/work"
"""Path of the run's folder inside the container."""
HUB = "docker://"
"""Optional prefix of the address of a public image."""
# A container outlives the client that started it. Its input does not: when it ends, the program is
# killed, and with the first process of the container, this shell, ends all that it has started.
END_WITH_INPUT = (
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; '
    "(while read -r _; do :; done; kill -9 $p) <&3 >/dev/null 2>&1 & exec 3<&-; wait $p"
)


@dataclass(frozen=True)
class ContainerEngine(Environment):
    """Base class of container engines.

    Parameters
    ----------
    image
        Name of the image, or a file of the module's folder.

    Attributes
    ----------
    programs
        Names of the program that runs containers; the first that is on the PATH is used.
    remedy
        The command that installs it.
    """

    programs: ClassVar[tuple[str, ...]]
    remedy: ClassVar[str]
    can_serve: ClassVar[bool] = False

    image: str = ""

    @property
    def program(self) -> str:
        """Name of the program that runs containers."""
        available = (name for name in self.programs if shutil.which(name))
        return next(available, self.programs[0])

    def missing(self) -> str:
        """Return why the container cannot run here (no program, offline no image), else empty."""
        if shutil.which(self.program) is None:
            return f"needs {self.program} on the PATH ({self.hint or self.remedy})"
        problem = self._why_broken()
        if problem:
            return self._advised(problem)
        if self.has_image():
            problem = self._why_unusable()
            return self._advised(problem) if problem else ""
        if offline():
            fetch = " ".join(self._fetch())
            return (
                f"the image {self.image} is not here and {OFFLINE} forbids to fetch it "
                f"(where there is a network: {fetch})"
            )
        return ""

    def prepare(self, say: Say) -> None:
        """Pull the image unless it is present."""
        if not self.has_image():
            self._bring(say)
        problem = self._why_unusable()
        if problem:
            raise UnavailableError(self._advised(problem))

    def _bring(self, say: Say) -> None:
        if offline():
            raise UnavailableError(self.missing())
        with locked(self.image):
            if self.has_image():
                return
            say(f"fetching the image {self.image} with {self.program}, for the first run")
            code, output = output_of(self._fetch(), None)
        if code:
            raise UnavailableError(
                f"{self.program} could not fetch {self.image}: {last_output(output, code)} "
                f"(try it by hand: {' '.join(self._fetch())})"
            )

    def _why_broken(self) -> str:
        """Return why the container program does not work, checked without an image; else empty."""
        return ""

    def _why_unusable(self) -> str:
        """Return why the image, which is present, cannot be run; else empty."""
        return ""

    @abstractmethod
    def has_image(self) -> bool:
        """Whether the image is on this machine."""

    @abstractmethod
    def _fetch(self) -> list[str]:
        """Return the command that pulls the image."""


@dataclass(frozen=True)
class Apptainer(ContainerEngine):
    """Apptainer image; its programs are child processes, so that all limits apply to them."""

    programs: ClassVar[tuple[str, ...]] = ("apptainer", "singularity")
    remedy: ClassVar[str] = "https://apptainer.org/docs/admin/main/installation.html"

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """Return the command that runs `words` inside the image."""
        binds = [f"--bind={self.folder}:{MODULE}:ro", f"--bind={work}:{WORK}"]
        given = [f"--env={name}={value}" for name, value in container_variables().items()]
        if cards_given():
            given += ["--nv", f"--env={CARDS}={cards_given()}"]
        options = ["--contain", "--cleanenv", *given, *binds, f"--pwd={WORK}"]
        inner = fill_placeholders(words, {**values, "folder": MODULE})
        return [self.program, "exec", *options, str(self._file), *inner]

    @property
    def _file(self) -> Path:
        local = self.folder / self.image
        return local if local.is_file() else cache_folder() / f"{short_hash(self.image)}.sif"

    def has_image(self) -> bool:
        """Whether the image file exists."""
        return self._file.is_file()

    def _fetch(self) -> list[str]:
        address = self.image if "://" in self.image else f"{HUB}{self.image}"
        return [self.program, "pull", "--disable-cache", str(self._file), address]


def container_variables() -> dict[str, str]:
    """Return the environment variables with the run's threads and memory limit."""
    most = os.environ.get(MEMORY)
    return {**threads_given(), **({MEMORY: most} if most else {})}


def last_output(output: str, code: int) -> str:
    """Return the last line of a helper program's output, or its exit code."""
    return output.splitlines()[-1] if output else f"exit code {code}"
