"""`Module`: base class of everything with a name in studies, a dataclass of parameters."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

from dagathlon.errors import Mistakes, StudyError, listing, suggestion
from dagathlon.modules.lineage import FIRST, Delegate
from dagathlon.modules.spec import spelled
from dagathlon.modules.types import ParameterType, parameter_type

Kind: TypeAlias = Literal[
    "graph",
    "parameters",
    "data",
    "algorithm",
    "evaluation",
    "estimator",
    "metric",
    "transform",
    "truth",
    "format",
    "chart",
    "test",
    "score",
]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a module: its type, default and one line of documentation.

    ``name`` is what a study writes; ``attribute`` is the field that holds the value, and
    differs where the name is not a Python identifier.
    """

    name: str
    attribute: str
    type: ParameterType
    default: Any
    description: str

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is dataclasses.MISSING


@dataclass(frozen=True, kw_only=True)
class Module:
    """Base class of everything that a study names.

    A module is a frozen dataclass. Its fields are its parameters; their types are checked when a
    study is read, and the ``Parameters`` sections of its docstring and of those of its base
    classes document them. A parameter whose name is a Python keyword is a field with another name
    and ``field(metadata={"json": "lambda"})``; a description may stand there as well. Class
    variables say the rest:

    Attributes
    ----------
    name
        The name used in studies.
    former_names
        Former names, which studies and the command line still accept.
    kind
        The section of a study that it belongs to.
    version
        Version; raised when the same parameters give other results. Stored results of an older
        version are then not used again, neither its own nor those of modules that delegate to it.
    references
        Citations.
    implementation
        Origin of the code that runs, as shown in result tables.
    unavailable
        Why the module cannot run here; empty if it can.
    runs_program
        Whether it runs a program outside Python, which may have to be installed first.
    outside_stream
        Parameters of a data generator that do not change its random stream: settings that differ in
        them alone draw the same numbers, so that 100 rows are a prefix of a sample of 1000.
    """

    name: ClassVar[str] = ""
    former_names: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[Kind]
    version: ClassVar[int] = FIRST
    references: ClassVar[tuple[str, ...]] = ()
    implementation: ClassVar[str] = "dagathlon"
    unavailable: ClassVar[str] = ""
    runs_program: ClassVar[bool] = False
    outside_stream: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """Return the parameters in the order of the fields."""
        return _parameters(cls)  # type: ignore[arg-type]  # classes are hashable

    @classmethod
    def prepare(cls, say: Callable[[str], None] | None = None) -> None:
        """Load or install what the module needs, once, before anything is timed.

        Parameters
        ----------
        say
            Function that reports slow steps; by default they are printed to standard error.

        Raises
        ------
        UnavailableError
            If the module cannot run on this machine after all.
        """

    @classmethod
    def start_server(cls) -> None:
        """Start the process that the module's work is handed to, if it has one."""

    @classmethod
    def summary(cls) -> str:
        """Return the first paragraph of the documentation, on one line."""
        return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())

    @classmethod
    def from_json(cls, values: Mapping[str, Any], where: str = "") -> Self:
        """Validate the values of one setting and build the module.

        Parameters
        ----------
        values
            Parameter names and JSON values, without lists to expand. Missing ones get defaults.
        where
            The place in the study, prefixed to every message.
        """
        known = cls.parameters()
        prefix = f"{where}." if where else ""
        read: dict[str, Any] = {}
        mistakes = Mistakes()
        for name, value in values.items():
            if name in known:
                converted = mistakes.read(known[name].type.read, value, prefix + name)
                read[known[name].attribute] = converted
            else:
                mistakes.add(cls.unknown_parameter(name, prefix))
        missing = [name for name, p in known.items() if p.required and name not in values]
        if missing:
            mistakes.add(f"{where or cls.name}: {cls.name} needs {listing(missing)}")
        mistakes.refuse()
        module = cls(**read)
        problem = module.problem()
        if problem:
            raise StudyError(f"{where or cls.name}: {problem}")
        return module

    @classmethod
    def unknown_parameter(cls, name: str, prefix: str = "") -> str:
        """Return the message for an unknown parameter, with the nearest match and all others."""
        known = cls.parameters()
        near = suggestion(name, known)
        return f"{prefix}{name}: {cls.name} has no such parameter{near}; it takes {listing(known)}"

    @classmethod
    def from_values(cls, values: Mapping[str, Any], where: str = "") -> Self:
        """Build the module like `from_json`; constraints may be content instead of a path."""
        known = cls.parameters()
        contents = {
            name: value
            for name, value in values.items()
            if isinstance(value, Mapping) and name in known and known[name].type.reference
        }
        plain = {name: value for name, value in values.items() if name not in contents}
        missing = {name: "" for name in contents if known[name].required}
        module = cls.from_json({**plain, **missing}, where)
        fields = {known[name].attribute: value for name, value in contents.items()}
        return dataclasses.replace(module, **fields) if fields else module

    def non_default(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults."""
        known = self.parameters()
        return {key: value for key, value in self.to_json().items() if value != known[key].default}

    def as_text(self) -> str:
        """Return the module as on a command line: ``pc[alpha=0.01]``."""
        return spelled(self.name, self.non_default())

    def to_json(self) -> dict[str, Any]:
        """Return all parameters with their values, defaults included."""
        return {name: getattr(self, p.attribute) for name, p in self.parameters().items()}

    def problem(self) -> str:
        """Return what is wrong with the parameters in combination; empty if nothing is."""
        return ""

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the other modules, and shared code, that run with these parameters.

        Their versions, and those of their own delegates, are part of the key under which
        results are stored.
        """
        return ()


@functools.cache
def _parameters(cls: type[Module]) -> Mapping[str, Parameter]:
    hints = typing.get_type_hints(cls, include_extras=True)
    described: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        described |= _descriptions(inspect.cleandoc(base.__doc__ or ""))
    parameters = {}
    for field in dataclasses.fields(cls):
        name = field.metadata.get("json", field.name)
        kind = parameter_type(hints[field.name])
        text = described.get(name) or field.metadata.get("description", "")
        parameters[name] = Parameter(name, field.name, kind, field.default, text)
    return parameters


def _descriptions(doc: str) -> dict[str, str]:
    """Parse the parameter descriptions of a numpydoc docstring, each on one line."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", doc, re.M | re.S)
    descriptions: dict[str, list[str]] = {}
    names: list[str] = []
    for line in (section.group(1) if section else "").splitlines():
        if line and not line[0].isspace():
            names = [name.strip() for name in line.split(":")[0].split(",")]
            descriptions.update((name, []) for name in names)
        elif line.strip():
            for name in names:
                descriptions[name].append(line.strip())
    return {name: " ".join(lines) for name, lines in descriptions.items()}
