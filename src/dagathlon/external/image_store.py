"""Docker and Podman: engines with an image store, whose containers are no child processes."""

from __future__ import annotations

import functools
import os
import resource
import shutil
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from dagathlon.errors import UnavailableError
from dagathlon.external.container import (
    END_WITH_INPUT,
    HUB,
    MODULE,
    WORK,
    ContainerEngine,
    container_variables,
    last_output,
)
from dagathlon.external.environment import (
    cards_given,
    fill_placeholders,
    output_of,
    threads_given,
)
from dagathlon.processes.usage import MEMORY
from dagathlon.processes.variables import CARDS, THREADS

_RUNTIMES = ("crun", "runc")
_TRIED_MEMORY = 1 << 28
_CARD_LISTS = ("/etc/cdi", "/var/run/cdi")


@dataclass(frozen=True)
class ImageStore(ContainerEngine):
    """Base of Docker and Podman: no network, the calling user, and the limits of the run."""

    ends_with_input: ClassVar[bool] = True

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """Return the command that runs `words` inside the image."""
        volumes = [f"--volume={self.folder}:{MODULE}:ro", f"--volume={work}:{WORK}"]
        given = [f"--env={name}={value}" for name, value in container_variables().items()]
        options = [*self._options(), *given, *self._card_options(), *volumes, f"--workdir={WORK}"]
        inner = fill_placeholders(words, {**values, "folder": MODULE})
        shell = ["--entrypoint=sh", self._name, "-c", END_WITH_INPUT, "sh"]
        return [*self._run(), *options, *shell, *inner]

    def _run(self) -> list[str]:
        """Return the program and its subcommand, before the options."""
        base = ["--rm", "--interactive", "--network=none", "--pull=never"]
        return [self.program, "run", *base, "--security-opt=label=disable"]

    @abstractmethod
    def _options(self) -> list[str]:
        """Return the options for the user and the limits of this run."""

    def _card_options(self) -> list[str]:
        """Return the options for this run's cards, numbered from 0 inside the container."""
        cards = cards_given().split(",") if cards_given() else []
        seen = ",".join(str(number) for number in range(len(cards)))
        return [*(self._cards(cards) if cards else []), f"--env={CARDS}={seen}"]

    @abstractmethod
    def _cards(self, cards: list[str]) -> list[str]:
        """Return the options that pass these cards to the container."""

    @property
    def _name(self) -> str:
        return self.image.removeprefix(HUB)

    def has_image(self) -> bool:
        """Whether the image is in the engine's store."""
        return output_of([self.program, "image", "inspect", self._name])[0] == 0

    def _fetch(self) -> list[str]:
        return [self.program, "pull", self._name]


@dataclass(frozen=True)
class Docker(ImageStore):
    """Docker image; the daemon grants a container its cores, cards and memory."""

    programs: ClassVar[tuple[str, ...]] = ("docker",)
    remedy: ClassVar[str] = "apt-get install docker.io"

    def _why_broken(self) -> str:
        code, output = output_of([self.program, "version", "--format", "{{.Server.Version}}"])
        return f"docker does not work: {last_output(output, code)}" if code else ""

    def _options(self) -> list[str]:
        user = f"--user={os.getuid()}:{os.getgid()}"
        return [user, f"--cpus={threads_given()[THREADS]}", *_memory()]

    def _cards(self, cards: list[str]) -> list[str]:
        return [f'--gpus="device={",".join(cards)}"']


class RunOptions(NamedTuple):
    """Options with which containers can be run on this machine.

    Parameters
    ----------
    runtime
        The program below Podman; empty for Podman's own choice.
    limits
        Which limits can be set: of ``cpus`` and ``memory``.
    cgroups
        Whether containers have a control group of their own.
    """

    runtime: str = ""
    limits: tuple[str, ...] = ("cpus", "memory")
    cgroups: bool = True

    def before(self) -> list[str]:
        """Return the global options of Podman."""
        return [f"--runtime={self.runtime}"] if self.runtime else []

    def after(self, cpus: str, memory: Sequence[str]) -> list[str]:
        """Return the options of a run."""
        given = [f"--cpus={cpus}"] if "cpus" in self.limits else []
        given += memory if "memory" in self.limits else []
        return given if self.cgroups else [*given, "--cgroups=disabled"]


@dataclass(frozen=True)
class Podman(ImageStore):
    """Podman image, which needs neither daemon nor root.

    Machines differ in what they allow: whether cores and memory can be limited, and which
    runtime understands their control groups. The first combination that works is used.
    """

    programs: ClassVar[tuple[str, ...]] = ("podman",)
    remedy: ClassVar[str] = "apt-get install podman"

    def _why_broken(self) -> str:
        code, output = output_of([self.program, "version", "--format", "{{.Client.Version}}"])
        return f"podman does not work: {last_output(output, code)}" if code else ""

    def _why_unusable(self) -> str:
        choice = working_options(self.program, self._name)
        return choice if isinstance(choice, str) else ""

    @property
    def _run_options(self) -> RunOptions:
        choice = working_options(self.program, self._name)
        if isinstance(choice, str):
            raise UnavailableError(self._advised(choice))
        return choice

    def _run(self) -> list[str]:
        program, *rest = super()._run()
        return [program, *self._run_options.before(), *rest]

    def _options(self) -> list[str]:
        # The container's root is mapped to the calling user, with and without root rights.
        limits = self._run_options.after(threads_given()[THREADS], _memory())
        return ["--user=0:0", *_own_limits(), *limits]

    def _cards(self, cards: list[str]) -> list[str]:
        if not any(Path(folder).is_dir() for folder in _CARD_LISTS):
            raise UnavailableError(
                "podman knows no graphics cards (sudo nvidia-ctk cdi generate "
                "--output=/etc/cdi/nvidia.yaml)"
            )
        return [f"--device=nvidia.com/gpu={card}" for card in cards]

    @property
    def _name(self) -> str:
        """Full image name, with Docker's public registry as default."""
        name = super()._name
        first, slash, _ = name.partition("/")
        if slash and ("." in first or ":" in first or first == "localhost"):
            return name
        return f"docker.io/{name}" if slash else f"docker.io/library/{name}"


@functools.lru_cache(maxsize=64)
def working_options(program: str, image: str) -> RunOptions | str:
    """Return the first options with which Podman can run the image, or the error message."""
    first = ""
    base = ["run", "--rm", "--network=none", "--pull=never", "--user=0:0", *_own_limits()]
    for choice in _options_to_try():
        options = choice.after("1", [f"--memory={_TRIED_MEMORY}"])
        shell = ["--entrypoint=sh", image, "-c", ":"]
        code, output = output_of([program, *choice.before(), *base, *options, *shell])
        if code == 0:
            return choice
        first = first or last_output(output, code)
    return f"podman cannot run {image}: {first}"


def _options_to_try() -> Iterator[RunOptions]:
    """Yield options to try: with all limits first, then with fewer, then without control groups."""
    runtimes = ["", *(name for name in _RUNTIMES if shutil.which(name) or _in_sbin(name))]
    for limits in (("cpus", "memory"), ("memory",), ()):
        for runtime in runtimes:
            yield RunOptions(runtime, limits)
    yield RunOptions("", (), cgroups=False)


def _in_sbin(name: str) -> bool:
    return any(os.access(f"{folder}/{name}", os.X_OK) for folder in ("/usr/sbin", "/sbin"))


def _own_limits() -> list[str]:
    """Return this process's limits as options: Podman's defaults exceed those of some machines."""
    files = _hard_limit(resource.RLIMIT_NOFILE, "/proc/sys/fs/nr_open")
    # Podman itself keeps to the number of processes that the kernel can count.
    processes = _hard_limit(resource.RLIMIT_NPROC, "/proc/sys/kernel/pid_max")
    return [f"--ulimit=nofile={files}:{files}", f"--ulimit=nproc={processes}:{processes}"]


def _hard_limit(kind: int, most: str) -> int:
    """Return the hard limit of child processes, capped by the kernel's limit in a file."""
    _, hard = resource.getrlimit(kind)
    kernel = int(Path(most).read_text("ascii"))
    return kernel if hard == resource.RLIM_INFINITY else min(hard, kernel)


def _memory() -> list[str]:
    most = os.environ.get(MEMORY)
    return [f"--memory={most}"] if most else []
