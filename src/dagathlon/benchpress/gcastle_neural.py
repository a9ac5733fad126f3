"""gCastle's neural-network learners, run by gCastle itself in an environment of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, cast

from dagathlon.benchpress.table import add_classes
from dagathlon.external.learner import ExternalLearner
from dagathlon.external.manifest import read_manifest
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Gpu, Output
from dagathlon.modules import Count

_ORIGINAL = read_manifest(Path(__file__).with_name("gcastle_original"))


@dataclass(frozen=True, kw_only=True)
class GcastleNeural(ExternalLearner):
    """A learner of gCastle that trains neural networks.

    All of them share one program (``gcastle_original`` beside this file), whose parameters are
    theirs.

    Parameters
    ----------
    edgeConstraints
        Must be null: gCastle takes no constraints.
    device_type
        Where to compute.
    device_ids
        Which devices; null is the default one.

    Attributes
    ----------
    honours_constraints
        As in Benchpress's other modules: whether edge constraints are obeyed.
    """

    manifest = _ORIGINAL
    version = _ORIGINAL.version
    takes = _ORIGINAL.takes
    gives = cast(Output, _ORIGINAL.gives)
    implementation = _ORIGINAL.implementation
    honours_constraints: ClassVar[bool] = False

    edgeConstraints: ConstraintFile | None = None
    device_type: Literal["cpu", "gpu"] = "cpu"
    device_ids: Count | str | None = 0

    @property
    def gpu(self) -> Gpu:  # type: ignore[override]  # a parameter decides
        """Whether a card is needed, by `device_type`."""
        return "yes" if self.device_type == "gpu" else "no"

    def problem(self) -> str:
        """Return an error for constraints, which gCastle does not take; else empty."""
        if self.edgeConstraints is not None:
            return f"{self.name} cannot honour edge constraints; set edgeConstraints to null"
        return ""


add_classes(__name__)
