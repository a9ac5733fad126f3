"""`ExternalModule`: base class of modules run as external programs."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.external.environment import Say
from dagathlon.external.manifest import Manifest
from dagathlon.external.program import ProgramExit, run_program
from dagathlon.external.results import ProgramError, check_end
from dagathlon.external.server import Server
from dagathlon.external.servers import SERVE, server_for
from dagathlon.modules import Module, NonNegative
from dagathlon.processes.held_folder import HeldFolder

if TYPE_CHECKING:
    import numpy as np

_SEEDS = 2**31 - 1


class Unavailable:
    """Descriptor with the reason why a module cannot run here, determined on access."""

    def __get__(self, module: object, cls: type[ExternalModule]) -> str:
        return cls.manifest.environment.missing()


@dataclass(frozen=True, kw_only=True)
class ExternalModule(Module):
    """A module in any language: a learner, or a generator of graphs, parameters or data.

    Parameters
    ----------
    timeout
        Time limit in seconds; null is none.

    Attributes
    ----------
    manifest
        The parsed ``module.toml``.
    """

    manifest: ClassVar[Manifest]
    runs_program = True
    unavailable = Unavailable()  # a text, computed on access

    timeout: NonNegative | None = None

    @classmethod
    def prepare(cls, say: Say | None = None) -> None:
        """Install the program's requirements, unless that was done before."""
        tell = say or _to_standard_error
        cls.manifest.environment.prepare(lambda text: tell(f"{cls.name}: {text}"))

    @classmethod
    def start_server(cls) -> None:
        """Start the module's server, if it has one and it is not running in this process."""
        if cls.manifest.server:
            cls._server()

    @contextlib.contextmanager
    def _ran(self, words: Mapping[str, Any], write: Callable[[Path], None]) -> Iterator[Path]:
        """Run the program in a new folder with its inputs; yield the folder for reading outputs.

        Parameters
        ----------
        words
            Values of the placeholders in the command.
        write
            Writes the inputs into a folder.
        """
        with contextlib.ExitStack() as stack:
            if self.manifest.server:
                server = self._server()
                folder = stack.enter_context(server.new_folder())
                write(folder)
                ended = server.run(folder)
            else:
                folder = stack.enter_context(HeldFolder())
                write(folder)
                ended = self._run_once(words, folder)
            check_end(self.name, ended)
            yield folder

    def _run_once(self, words: Mapping[str, Any], folder: Path) -> ProgramExit:
        environment = self.manifest.environment
        texts = {name: _as_word(value) for name, value in words.items()}
        command = environment.command(self.manifest.command, texts, folder)
        with self._startable(command[0]):
            return run_program(
                command, folder, environment.variables(), environment.ends_with_input
            )

    @classmethod
    def _server(cls) -> Server:
        environment = cls.manifest.environment
        command = environment.command(cls.manifest.command, {"serve": SERVE}, Path())
        with cls._startable(command[0]):
            return server_for(command, cls.manifest.version, environment.variables())

    @classmethod
    @contextlib.contextmanager
    def _startable(cls, program: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"{program}: {os.strerror(error.errno or 0)}"
            raise ProgramError(f"{cls.name} cannot be started ({reason})") from None


def seed_from(rng: np.random.Generator) -> int:
    """Draw the program's seed, from 1 to 2³¹ − 2."""
    return int(rng.integers(1, _SEEDS))


def _as_word(value: Any) -> str:
    """Format a parameter for a command line: texts as they are, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _to_standard_error(text: str) -> None:
    print(text, file=sys.stderr)
