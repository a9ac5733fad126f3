"""`ExternalLearner`: a learner whose work is done by a program of its own."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.data.facts import DataKind, facts_of
from dagathlon.external.contract import ProgramError, check_end, read_outputs, write_inputs
from dagathlon.external.environment import Say
from dagathlon.external.manifest import Manifest
from dagathlon.external.program import run_program
from dagathlon.learners.base import Estimate, Learner, Sampler
from dagathlon.modules import NonNegative

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

_SEEDS = 2**31 - 1


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

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data for these parameters."""
        values = self.to_json()
        rules = (p.takes[values[p.name]] for p in self.manifest.parameters if p.takes)
        return self.takes.intersection(*rules)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Run the program in a folder of its own and read the graph or chain that it leaves."""
        environment = self.manifest.environment
        seed = int(rng.integers(1, _SEEDS))
        values = self.to_json()
        run = {"seed": seed, "data_kind": facts_of(data).kind}
        texts = {name: _written(value) for name, value in {**values, **run}.items()}
        with tempfile.TemporaryDirectory(prefix="dagathlon-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            write_inputs(folder, data, values, seed, self.timeout)
            command = environment.command(self.manifest.command, texts, folder)
            variables = environment.variables()
            try:
                ended = run_program(command, folder, variables, environment.ends_with_input)
            except OSError as error:
                reason = f"{command[0]}: {os.strerror(error.errno or 0)}"
                raise ProgramError(f"{self.name} cannot be started ({reason})") from None
            check_end(self.name, ended)
            return read_outputs(self.name, folder, data, self.gives)


@dataclass(frozen=True, kw_only=True)
class ExternalSampler(ExternalLearner, Sampler):
    """An external learner whose result is a Markov chain of graphs."""


def _written(value: Any) -> str:
    """A parameter as a word of a command: a text as it is, anything else as in JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _to_standard_error(text: str) -> None:
    print(text, file=sys.stderr)
