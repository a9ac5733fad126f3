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
from dagathlon.external.accounts import MEMORY
from dagathlon.external.cache import locked, short_hash
from dagathlon.external.environment import (
    CARDS,
    OFFLINE,
    THREADS,
    Environment,
    Say,
    cards_given,
    filled,
    offline,
    output_of,
    threads_given,
)
from dagathlon.learners.user_cache import cache_folder

_MODULE = "/module"
_WORK = "/work"
# A container outlives the client that started it. Its input does not: when it ends, so does the
# program, which takes the place of this shell and has its number.
END_WITH_INPUT = 'exec 3<&0; (cat <&3 >/dev/null; kill -9 $$) & exec "$@" </dev/null 3<&-'


@dataclass(frozen=True)
class _Container(Environment):
    """What container programs have in common.

    Parameters
    ----------
    image
        Name of the image, or a file of the module's folder.
    """

    program: ClassVar[str]
    can_serve: ClassVar[bool] = False

    image: str = ""

    def missing(self) -> str:
        """Whether the container program works and, offline, whether the image is there."""
        if shutil.which(self.program) is None:
            return self._advised(f"needs {self.program} on the PATH")
        problem = self._broken()
        if problem:
            return self._advised(problem)
        if offline() and not self._has_image():
            return f"the image {self.image} is not here and {OFFLINE} forbids to fetch it"
        return ""

    def prepare(self, say: Say) -> None:
        """Fetch the image unless it is there."""
        if self._has_image():
            return
        if offline():
            raise UnavailableError(self.missing())
        with locked(self.image):
            if self._has_image():
                return
            say(f"fetching the image {self.image} with {self.program}, for the first run")
            code, output = output_of(self._fetch(), None)
        if code:
            last = output.splitlines()[-1] if output else f"exit code {code}"
            raise UnavailableError(f"{self.program} could not fetch {self.image}: {last}")

    def _broken(self) -> str:
        return ""

    @abstractmethod
    def _has_image(self) -> bool:
        """Whether the image is on this machine."""

    @abstractmethod
    def _fetch(self) -> list[str]:
        """The command that brings the image onto this machine."""


@dataclass(frozen=True)
class Apptainer(_Container):
    """An Apptainer image; its programs are ordinary processes, so that all limits hold."""

    program: ClassVar[str] = "apptainer"

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """The command inside the image."""
        binds = [f"--bind={self.folder}:{_MODULE}:ro", f"--bind={work}:{_WORK}"]
        given = [f"--env={name}={value}" for name, value in threads_given().items()]
        if cards_given():
            given += ["--nv", f"--env={CARDS}={cards_given()}"]
        options = ["--contain", "--cleanenv", *given, *binds, f"--pwd={_WORK}"]
        inner = filled(words, {**values, "folder": _MODULE})
        return [self.program, "exec", *options, str(self._file), *inner]

    @property
    def _file(self) -> Path:
        local = self.folder / self.image
        return local if local.is_file() else cache_folder() / f"{short_hash(self.image)}.sif"

    def _has_image(self) -> bool:
        return self._file.is_file()

    def _fetch(self) -> list[str]:
        return [self.program, "pull", "--disable-cache", str(self._file), self.image]


@dataclass(frozen=True)
class Docker(_Container):
    """A Docker image, run without a network by the user who asks for it."""

    program: ClassVar[str] = "docker"
    ends_with_input: ClassVar[bool] = True

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """The command inside the image."""
        volumes = [f"--volume={self.folder}:{_MODULE}:ro", f"--volume={work}:{_WORK}"]
        user = f"--user={os.getuid()}:{os.getgid()}"
        options = ["--rm", "--init", "--interactive", "--network=none", user]
        options += _docker_share()
        inner = filled(words, {**values, "folder": _MODULE})
        shell = ["--entrypoint=sh", self.image, "-c", END_WITH_INPUT, "sh"]
        start = [self.program, "run", *options, *volumes, f"--workdir={_WORK}"]
        return [*start, *shell, *inner]

    def _broken(self) -> str:
        code, output = output_of([self.program, "version", "--format", "{{.Server.Version}}"])
        last = output.splitlines()[-1] if output else f"exit code {code}"
        return f"docker does not work: {last}" if code else ""

    def _has_image(self) -> bool:
        return output_of([self.program, "image", "inspect", self.image])[0] == 0

    def _fetch(self) -> list[str]:
        return [self.program, "pull", self.image]


def _docker_share() -> list[str]:
    """The daemon gives a container its cores, cards and memory: nobody else can."""
    given = [f"--env={name}={value}" for name, value in threads_given().items()]
    given.append(f"--cpus={threads_given()[THREADS]}")
    if cards_given():
        given.append(f'--gpus="device={cards_given()}"')
    most = os.environ.get(MEMORY)
    return [*given, f"--memory={most}"] if most else given
