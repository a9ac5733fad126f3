"""Programs in containers: the module's folder is /module, the folder of the run is /work."""

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
    CARDS,
    OFFLINE,
    Environment,
    Say,
    cards_given,
    filled,
    offline,
    output_of,
    threads_given,
)
from dagathlon.external.process_usage import MEMORY
from dagathlon.learners.user_cache import cache_folder

MODULE = "/module"
"""Where a program in a container finds the module's folder."""
WORK = "/work"
"""Where it finds the folder of the run."""
HUB = "docker://"
"""What an address of a public image may begin with."""
# A container outlives the client that started it. Its input does not: when it ends, the program is
# killed, and with the first process of the container, this shell, ends all that it has started.
END_WITH_INPUT = (
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; '
    "(while read -r _; do :; done; kill -9 $p) <&3 >/dev/null 2>&1 & exec 3<&-; wait $p"
)


@dataclass(frozen=True)
class ContainerEngine(Environment):
    """What container programs have in common.

    Parameters
    ----------
    image
        Name of the image, or a file of the module's folder.

    Attributes
    ----------
    programs
        Names of the program that runs containers; the first that is on the PATH is used.
    mending
        The command that installs it.
    """

    programs: ClassVar[tuple[str, ...]]
    mending: ClassVar[str]
    can_serve: ClassVar[bool] = False

    image: str = ""

    @property
    def program(self) -> str:
        """The program that runs containers."""
        found = (name for name in self.programs if shutil.which(name))
        return next(found, self.programs[0])

    def missing(self) -> str:
        """Whether the container program works and, offline, whether the image is there."""
        if shutil.which(self.program) is None:
            return f"needs {self.program} on the PATH ({self.hint or self.mending})"
        problem = self._broken()
        if problem:
            return self._advised(problem)
        if self.has_image():
            problem = self._useless()
            return self._advised(problem) if problem else ""
        if offline():
            fetch = " ".join(self._fetch())
            return (
                f"the image {self.image} is not here and {OFFLINE} forbids to fetch it "
                f"(where there is a network: {fetch})"
            )
        return ""

    def prepare(self, say: Say) -> None:
        """Fetch the image unless it is there."""
        if not self.has_image():
            self._bring(say)
        problem = self._useless()
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
                f"{self.program} could not fetch {self.image}: {last_of(output, code)} "
                f"(try it by hand: {' '.join(self._fetch())})"
            )

    def _broken(self) -> str:
        """Why the container program is of no use here, as far as it says without an image."""
        return ""

    def _useless(self) -> str:
        """Why the image, which is there, cannot be run."""
        return ""

    @abstractmethod
    def has_image(self) -> bool:
        """Whether the image is on this machine."""

    @abstractmethod
    def _fetch(self) -> list[str]:
        """The command that brings the image onto this machine."""


@dataclass(frozen=True)
class Apptainer(ContainerEngine):
    """An Apptainer image; its programs are ordinary processes, so that all limits hold."""

    programs: ClassVar[tuple[str, ...]] = ("apptainer", "singularity")
    mending: ClassVar[str] = "https://apptainer.org/docs/admin/main/installation.html"

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """The command inside the image."""
        binds = [f"--bind={self.folder}:{MODULE}:ro", f"--bind={work}:{WORK}"]
        given = [f"--env={name}={value}" for name, value in told().items()]
        if cards_given():
            given += ["--nv", f"--env={CARDS}={cards_given()}"]
        options = ["--contain", "--cleanenv", *given, *binds, f"--pwd={WORK}"]
        inner = filled(words, {**values, "folder": MODULE})
        return [self.program, "exec", *options, str(self._file), *inner]

    @property
    def _file(self) -> Path:
        local = self.folder / self.image
        return local if local.is_file() else cache_folder() / f"{short_hash(self.image)}.sif"

    def has_image(self) -> bool:
        """Whether there is a file of it."""
        return self._file.is_file()

    def _fetch(self) -> list[str]:
        address = self.image if "://" in self.image else f"{HUB}{self.image}"
        return [self.program, "pull", "--disable-cache", str(self._file), address]


def told() -> dict[str, str]:
    """What a program in a container is told of its share: threads, and bytes of memory."""
    most = os.environ.get(MEMORY)
    return {**threads_given(), **({MEMORY: most} if most else {})}


def last_of(output: str, code: int) -> str:
    """The last line of what a helper program printed."""
    return output.splitlines()[-1] if output else f"exit code {code}"
