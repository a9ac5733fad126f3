"""`ExternalLearner`: a learner whose work is done by a program of its own."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.data.facts import DataKind, facts_of
from dagathlon.external.contract import Given, write_inputs
from dagathlon.external.environment import Say
from dagathlon.external.manifest import Manifest
from dagathlon.external.program import Ended, run_program
from dagathlon.external.results import ProgramError, check_end, read_outputs
from dagathlon.external.server import Server
from dagathlon.external.servers import SERVE, server_for
from dagathlon.graphs import Graph
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Estimate, Learner, Sampler
from dagathlon.learners.start_graph import StartsFromGraph
from dagathlon.modules import NonNegative

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

_SEEDS = 2**31 - 1
_IN_FILES = ("constraints", "input_algorithm_id")  # a program finds what they name


class Unavailable:
    """The reason why a module cannot run here, found out when somebody asks."""

    def __get__(self, module: object, cls: type[ExternalLearner]) -> str:
        return cls.manifest.environment.missing()


@dataclass(frozen=True, kw_only=True)
class ExternalLearner(Learner):
    """A learner in any language; classes are made from manifests by `load_folder`.

    Parameters
    ----------
    timeout
        Time limit in seconds; null is none.

    Attributes
    ----------
    manifest
        What ``module.toml`` says.
    """

    manifest: ClassVar[Manifest]
    unavailable = Unavailable()  # a text, found out when asked for

    timeout: NonNegative | None = None

    @classmethod
    def prepare(cls, say: Say | None = None) -> None:
        """Install what the program needs, unless that has been done before."""
        tell = say or _to_standard_error
        cls.manifest.environment.prepare(lambda text: tell(f"{cls.name}: {text}"))

    def warm_up(self) -> None:
        """Start the server, if the module has one and it is not running."""
        self.start_server()

    @classmethod
    def start_server(cls) -> None:
        """Start the server of the module, if it has one and it is not running in this process."""
        if cls.manifest.server:
            cls._server()

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data for these parameters."""
        values = self.to_json()
        rules = (p.takes[values[p.name]] for p in self.manifest.parameters if p.takes)
        return self.takes.intersection(*rules)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Have the program learn in a folder of its own, and read what it leaves there."""
        return self._learned(data, rng, ())

    def _learned(
        self, data: Dataset, rng: np.random.Generator, start: tuple[Graph, ...]
    ) -> Estimate:
        seed = int(rng.integers(1, _SEEDS))
        values = {k: v for k, v in self.to_json().items() if k not in _IN_FILES}
        constraints = getattr(self, "constraints", None) if self.manifest.constraints else None
        given = Given(self.name, data, values, seed, self.timeout, constraints, start)
        with self._ran(given) as folder:
            posterior = self.manifest.posterior
            return read_outputs(self.name, folder, data, self.output(), posterior=posterior)

    @contextlib.contextmanager
    def _ran(self, given: Given) -> Iterator[Path]:
        """The folder in which the program has run, until it is read."""
        with contextlib.ExitStack() as stack:
            if self.manifest.server:
                server = self._server()
                folder = stack.enter_context(server.new_folder())
                write_inputs(folder, given, self.manifest.data)
                ended = server.run(folder)
            else:
                made = tempfile.TemporaryDirectory(prefix="dagathlon-", ignore_cleanup_errors=True)
                folder = Path(stack.enter_context(made))
                write_inputs(folder, given, self.manifest.data)
                ended = self._run_once(given, folder)
            check_end(self.name, ended)
            yield folder

    def _run_once(self, given: Given, folder: Path) -> Ended:
        environment = self.manifest.environment
        run = {"seed": given.seed, "data_kind": facts_of(given.data).kind}
        texts = {name: _written(value) for name, value in {**given.parameters, **run}.items()}
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


@dataclass(frozen=True, kw_only=True)
class ExternalSampler(ExternalLearner, Sampler):
    """An external learner whose result is a Markov chain of graphs."""


@dataclass(frozen=True, kw_only=True)
class ExternalWithConstraints(ExternalLearner):
    """An external learner that takes background knowledge.

    Parameters
    ----------
    constraints
        File of required and forbidden edges, or its content; null is none.
    """

    constraints: ConstraintFile | None = None


@dataclass(frozen=True, kw_only=True)
class ExternalWithStart(ExternalLearner, StartsFromGraph):
    """An external learner that can begin with the graph of another one."""

    def learn(
        self,
        data: Dataset,
        rng: np.random.Generator,
        start: Graph | tuple[Graph, ...] | None = None,
    ) -> Estimate:
        """Have the program learn, from another learner's graph if one is given."""
        graphs = () if start is None else start if isinstance(start, tuple) else (start,)
        return self._learned(data, rng, graphs)


def _written(value: Any) -> str:
    """A parameter as a word of a command: a text as it is, anything else as in JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _to_standard_error(text: str) -> None:
    print(text, file=sys.stderr)
