"""Construction of module classes from manifests, so that they are handled like built-in ones."""

from __future__ import annotations

import dataclasses
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from dagathlon.data.spec import DataKind, DataSpec
from dagathlon.errors import StudyError
from dagathlon.external.generators import ExternalData, ExternalGraph, ExternalParameters
from dagathlon.external.learner import (
    ExternalLearner,
    ExternalSampler,
    ExternalWithConstraints,
    ExternalWithStart,
)
from dagathlon.external.manifest import MANIFEST, ExternalParameter, Manifest, read_manifest
from dagathlon.external.module import ExternalModule
from dagathlon.modules import Range, parameter_type

_GENERATORS: Mapping[str, type[ExternalModule]] = {
    "graph": ExternalGraph,
    "parameters": ExternalParameters,
    "data": ExternalData,
}
_TYPES: dict[str, Any] = {"number": float, "integer": int, "boolean": bool, "text": str}


def load_folder(folder: Path | str) -> type[ExternalModule]:
    """Return the learner or generator class described by a folder with a ``module.toml``."""
    manifest = read_manifest(Path(folder).resolve())
    bases = _bases(manifest)
    fields = [_field(parameter, manifest, bases) for parameter in manifest.parameters]
    namespace = {
        "__doc__": _documentation(manifest),
        "__module__": __name__,
        "manifest": manifest,
        "name": manifest.name,
        "version": manifest.version,
        "implementation": manifest.implementation,
        "references": manifest.references,
        **_abilities(manifest),
    }
    made = dataclasses.make_dataclass(
        _class_name(manifest.name),
        fields,
        bases=bases,
        namespace=namespace,
        frozen=True,
        kw_only=True,
    )
    return cast(type[ExternalModule], made)


def _abilities(manifest: Manifest) -> dict[str, Any]:
    """Return the class variables that declare what a module takes and gives."""
    if manifest.kind == "graph":
        return {"gives": manifest.gives}
    if manifest.kind == "parameters":
        return {"gives": DataSpec(kind=cast(DataKind, manifest.gives), missing=False)}
    if manifest.kind == "data":
        return {"takes": manifest.takes}
    return {
        "takes": manifest.takes,
        "handles_missing": manifest.missing,
        "gives": manifest.gives,
        "order_independent": manifest.order_independent,
        "threads": manifest.threads,
        "gpu": manifest.gpu,
        "gives_posterior": manifest.posterior,
    }


def _bases(manifest: Manifest) -> tuple[type[ExternalModule], ...]:
    """Return the base classes that provide the parameters of a module's inputs."""
    if manifest.kind != "algorithm":
        return (_GENERATORS[manifest.kind],)
    bases: list[type[ExternalLearner]] = []
    if manifest.start:
        bases.append(ExternalWithStart)
    if manifest.constraints:
        bases.append(ExternalWithConstraints)
    if manifest.gives == "chain":
        bases.append(ExternalSampler)
    return tuple(bases) or (ExternalLearner,)


def _field(
    parameter: ExternalParameter, manifest: Manifest, bases: tuple[type[ExternalModule], ...]
) -> tuple[str, Any, Any]:
    where = f"{manifest.folder / MANIFEST}: parameters.{parameter.name}"
    if any(parameter.name in base.parameters() for base in bases):
        raise StudyError(f"{where}: every module like this has the parameter {parameter.name!r}")
    annotation = _annotation(parameter, where)
    options: dict[str, Any] = {"metadata": {"json": parameter.name}}
    if parameter.default is not None:
        value = parameter_type(annotation).read(parameter.default, f"{where}.default")
        options["default"] = value
    elif parameter.nullable:
        options["default"] = None
    return _attribute(parameter.name, bases), annotation, dataclasses.field(**options)


def _annotation(parameter: ExternalParameter, where: str) -> Any:
    if parameter.type == "choice":
        annotation: Any = Literal[parameter.choices]
    else:
        annotation = _TYPES[parameter.type]
    if parameter.minimum is not None or parameter.maximum is not None:
        if parameter.type not in ("number", "integer"):
            raise StudyError(f"{where}: a {parameter.type} has no minimum and no maximum")
        annotation = Annotated[annotation, Range(parameter.minimum, parameter.maximum)]
    return annotation | None if parameter.nullable else annotation


def _attribute(name: str, bases: tuple[type[ExternalModule], ...]) -> str:
    """Return the dataclass field name of a parameter: its own unless it is taken or a keyword."""
    taken = keyword.iskeyword(name) or any(name in dir(base) for base in bases)
    return f"{name}_" if taken else name


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"\W|_", name) if part)


def _documentation(manifest: Manifest) -> str:
    """Return the class docstring with the descriptions of the parameters."""
    lines = [manifest.summary, ""]
    if manifest.parameters:
        lines += ["Parameters", "----------"]
    for parameter in manifest.parameters:
        lines += [parameter.name, f"    {' '.join(parameter.description.split())}"]
    return "\n".join(lines)
