"""`Manifest`: the content of ``module.toml``, validated key by key."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from dagathlon.data.spec import DataKind
from dagathlon.errors import StudyError, listing, suggestion
from dagathlon.external.contract import DataFormat
from dagathlon.external.environment import PLACE_HOLDER, Environment
from dagathlon.external.runtimes import read_environment
from dagathlon.external.toml_table import TomlTable
from dagathlon.learners.base import GPU_WORDS, Gpu, Output

MANIFEST = "module.toml"
RESERVED = (
    "data_kind", "folder", "id", "memory_limit", "module", "names", "python", "seed", "serve",
    "time_limit",
)  # fmt: skip
"""Words reserved by the contract, which are refused as names of parameters."""

ModuleKind: TypeAlias = Literal["algorithm", "graph", "parameters", "data"]

_COMMON = (
    "name", "kind", "summary", "command", "gives", "implementation", "references", "parameters",
    "environment", "server",
)  # fmt: skip
_KEYS: Mapping[ModuleKind, tuple[str, ...]] = {
    "algorithm": (
        *_COMMON, "takes", "missing", "order_independent", "threads", "gpu", "data", "start",
        "constraints", "posterior",
    ),
    "graph": _COMMON,
    "parameters": _COMMON,
    "data": (*_COMMON, "takes", "missing"),
}  # fmt: skip
_GIVES: Mapping[ModuleKind, tuple[str, ...]] = {
    "algorithm": get_args(Output),
    "graph": ("dag", "undirected"),
    "parameters": ("continuous", "discrete"),
    "data": ("same", *get_args(DataKind)),
}
_GIVEN: Mapping[ModuleKind, str | None] = {
    "algorithm": None, "graph": "dag", "parameters": None, "data": "same",
}  # fmt: skip
"""Default of `gives` by kind of module; None where a manifest must declare it."""
_TAKES: Mapping[ModuleKind, tuple[DataKind, ...]] = {"data": ("continuous", "discrete")}
"""Kinds of models that can be passed as files to programs that draw from them."""
_PARAMETER_KEYS = (
    "type", "description", "default", "nullable", "minimum", "maximum", "choices", "takes",
)  # fmt: skip
_TYPES = {"number": float, "integer": int, "boolean": bool, "text": str, "choice": None}
_NAME = re.compile(r"[A-Za-z][\w.\-]*")
_MAX_FILES = 10_000
_MAX_BYTES = 256 * 2**20


@dataclass(frozen=True)
class ExternalParameter:
    """One parameter of an external module, as its manifest declares it.

    Parameters
    ----------
    name, description
        The key in studies, and its description.
    type
        One of number, integer, boolean, text, choice.
    nullable
        Whether null is a value; it is then the default unless there is another.
    default
        The default; None with `nullable` false means that a study must give a value.
    minimum, maximum
        Bounds of a number, inclusive.
    choices
        The values of a choice.
    takes
        For some values of a choice: the kinds of data they can be used with.
    """

    name: str
    type: str
    description: str
    nullable: bool = False
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] = ()
    takes: Mapping[Any, frozenset[DataKind]] | None = None


@dataclass(frozen=True)
class Manifest:
    """The content of a ``module.toml`` and the version of its folder.

    Parameters
    ----------
    kind
        The section of a study that the module belongs to.
    takes
        Kinds of data of a learner, kinds of models of a generator of data.
    gives
        The kind of graph; for parameters and data, the kind of data.
    server
        Whether the command starts a server, which does one run after another.
    data
        The format in which the program finds the data.
    start, constraints
        Whether it takes a graph to begin with, and background knowledge.
    posterior
        Whether it gives a weighted list of graphs.
    """

    folder: Path
    version: int
    kind: ModuleKind
    name: str
    summary: str
    command: tuple[str, ...]
    takes: frozenset[DataKind]
    missing: bool
    gives: str
    order_independent: bool
    implementation: str
    references: tuple[str, ...]
    parameters: tuple[ExternalParameter, ...]
    environment: Environment
    threads: int = 1
    gpu: Gpu = "no"
    server: bool = False
    data: DataFormat = "csv"
    start: bool = False
    constraints: bool = False
    posterior: bool = False


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of a module's folder."""
    path = folder / MANIFEST
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or error
        raise StudyError(f"{path}: cannot be read ({reason}); a module has a {MANIFEST}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: not valid TOML: {error}") from None
    root = TomlTable(content, str(path))
    kind = root.choice("kind", get_args(ModuleKind), "algorithm")
    root.only(_KEYS[kind])
    parameters = tuple(_parameter(name, root) for name in root.table("parameters"))
    environment = read_environment(root.section("environment"), folder)
    manifest = Manifest(
        folder=folder,
        version=folder_version(folder),
        kind=kind,
        name=_name(root),
        summary=root.text("summary"),
        command=root.texts("command"),
        takes=_kinds(root, "takes", _TAKES.get(kind, get_args(DataKind))),
        missing=root.flag("missing", False),
        gives=root.choice("gives", _GIVES[kind], _GIVEN[kind]),
        order_independent=root.flag("order_independent", False),
        implementation=root.text("implementation", "external program"),
        references=root.texts("references", ()),
        parameters=parameters,
        environment=environment,
        threads=_threads(root),
        gpu=_gpu(root),
        server=root.flag("server", False),
        data=root.choice("data", get_args(DataFormat), "csv"),
        start=root.flag("start", False),
        constraints=root.flag("constraints", False),
        posterior=root.flag("posterior", False),
    )
    if manifest.posterior and manifest.gives == "chain":
        raise root.fail("posterior", "a chain is a distribution over graphs already")
    _check_command(manifest, root)
    return manifest


def folder_version(folder: Path) -> int:
    """Return a version number from the names and contents of all files of a module.

    Hidden files and Python's caches are ignored, since they do not affect results.
    """
    digest = hashlib.sha256()
    size = 0
    for number, path in enumerate(_own_files(folder)):
        size += path.stat().st_size
        if number >= _MAX_FILES or size > _MAX_BYTES:
            raise StudyError(f"{folder}: too much for a module; give it a folder of its own")
        content = path.read_bytes()
        header = f"{path.relative_to(folder).as_posix()}\0{len(content)}\0"
        digest.update(header.encode("utf-8", "surrogateescape") + content)
    return int.from_bytes(digest.digest()[:6], "big")


def _own_files(folder: Path) -> list[Path]:
    files = []
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") or part == "__pycache__" for part in parts):
            files += [path] if path.is_file() else []
            if len(files) > _MAX_FILES:
                break
    return sorted(files)


def _name(root: TomlTable) -> str:
    name = root.text("name")
    if not _NAME.fullmatch(name):
        raise root.fail("name", f"{name!r} is no name: a letter, then letters, digits, _ . -")
    return name


def _threads(root: TomlTable) -> int:
    number = root.number("threads")
    if number is None:
        return 1
    if number < 1 or number != int(number):
        raise root.fail("threads", f"found {number:g}, expected a whole number from 1")
    return int(number)


def _gpu(root: TomlTable) -> Gpu:
    """Read the key `gpu`; true and false mean yes and no."""
    value = root.value("gpu")
    return GPU_WORDS[value] if isinstance(value, bool) else root.choice("gpu", get_args(Gpu), "no")


def _kinds(section: TomlTable, key: str, known: Collection[DataKind]) -> frozenset[DataKind]:
    """Read a subset of the known kinds of data; by default all."""
    kinds = section.texts(key, tuple(known))
    for kind in kinds:
        if kind not in known:
            hint = suggestion(kind, known)
            allowed = listing(known)
            raise section.fail(key, f"found {kind!r}{hint}, expected some of {allowed}")
    return frozenset(kinds)  # type: ignore[arg-type]


def _parameter(name: str, root: TomlTable) -> ExternalParameter:
    section = root.section("parameters").section(name)
    section.only(_PARAMETER_KEYS)
    if not name.isidentifier() or name.startswith("_") or name in RESERVED:
        taken = f"letters, digits and _, but not {listing(RESERVED)}"
        raise section.fail("", f"no parameter can be called so: {taken}")
    kind = section.choice("type", tuple(_TYPES))
    choices = tuple(section.array("choices", ()))
    if (kind == "choice") != bool(choices):
        raise section.fail("choices", "a parameter of type choice has choices, and only such a one")
    takes = section.section("takes") if section.has("takes") else None
    return ExternalParameter(
        name,
        kind,
        section.text("description"),
        section.flag("nullable", False),
        section.value("default"),
        section.number("minimum"),
        section.number("maximum"),
        choices,
        {value: _kinds(takes, str(value), get_args(DataKind)) for value in choices}
        if takes
        else None,
    )


def _check_command(manifest: Manifest, root: TomlTable) -> None:
    """Refuse placeholders in the command that have no value."""
    known = ["folder", *manifest.environment.place_holders]
    if manifest.server:
        if not manifest.environment.can_serve:
            raise root.fail("server", "a server runs on this machine: kind = system or uv")
        known.append("serve")
    else:
        known += ["data_kind"] if manifest.kind == "algorithm" else []
        known += ["seed", "timeout", *(each.name for each in manifest.parameters)]
    if not manifest.command:
        raise root.fail("command", "the command is empty")
    for word in manifest.command:
        for name in PLACE_HOLDER.findall(word):
            if name not in known:
                hint = suggestion(name, known)
                text = f"there is no placeholder {{{name}}}{hint}: {listing(known)}"
                raise root.fail("command", text)
