"""What each learner takes, gives and assumes, for commands, documentation and reports.

Most of it is derived: a learner with a parameter for constraints takes constraints, one with a
parameter for another algorithm's graph takes a start graph, and a learner takes every kind of data
that some choice of its parameters takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.base import Learner
from dagathlon.learners.independence import DELETION, known_tests, with_ending
from dagathlon.learners.score.score_kinds import known_scores

KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
TAKES = (*KINDS, "missing", "interventions", "constraints", "tiers", "start")
GIVES = ("dag", "cpdag", "pag", "mag", "undirected", "mixed", "posterior")
FAMILIES: Mapping[str, str] = {
    "constraint": "constraint-based",
    "score": "score-based",
    "hybrid": "hybrid",
    "order": "over orders",
    "exact": "exact",
    "bayesian": "Bayesian",
    "jax": "networks and variational, in JAX",
    "continuous": "continuous optimisation and noise",
    "nonlinear": "nonlinear, over orders",
    "measurement": "measurement models",
    "undirected": "undirected",
    "external": "external programs",
    "benchpress": "Benchpress's names",
    "own": "yours",
}
_SUCH = "as the learner it runs"


@dataclass(frozen=True)
class Abilities:
    """The inputs that a learner takes, the graphs that it gives and its assumptions.

    Parameters
    ----------
    family
        A key of `FAMILIES`.
    takes, gives
        Words of `TAKES` and `GIVES`, each with the parameters that it needs: ``test=zf.td``, or the
        empty text if the defaults suffice.
    decided_by
        Parameters that decide which kinds of data are taken.
    assumes
        Assumptions of the learner.
    """

    family: str
    takes: Mapping[str, str]
    gives: Mapping[str, str]
    decided_by: tuple[str, ...]
    assumes: tuple[str, ...]

    def takes_in_words(self) -> str:
        """Return the inputs that the learner takes, on one line."""
        kinds: dict[str, str] = {word: how for word, how in self.takes.items() if word in KINDS}
        some = "any data" if len(kinds) == len(KINDS) and not any(kinds.values()) else ""
        rest = {word: how for word, how in self.takes.items() if word not in kinds}
        by = f" (by {', '.join(self.decided_by)})" if self.decided_by else ""
        return ", ".join(filter(None, [some or _listed(kinds), _listed(rest)])) + by

    def gives_in_words(self) -> str:
        """Return the kinds of result that the learner gives, on one line."""
        return _listed(self.gives)


def _listed(words: Mapping[str, str]) -> str:
    return ", ".join(f"{word} [{how}]" if how else word for word, how in words.items())


def suitable_setting(cls: type[Learner], facts: DataFacts) -> tuple[str, Learner] | str:
    """Return parameters and a learner that take such data, or the reason why none do.

    The defaults come first; then other tests are tried, which answer the same questions in
    other ways. Another loss, say, is another model, and that choice is left to the user.
    """
    default = _default(cls)
    if default is None:
        return f"{cls.name} has parameters without a default"
    problem = default.why_unsuitable(facts)
    for how, one in [("", default), *(_variants(default) if problem else ())]:
        if (not how or how.startswith("test=")) and not one.why_unsuitable(facts):
            return how, one
    return problem


def abilities_of(cls: type[Learner]) -> Abilities:
    """Return what a learner class takes, gives and assumes over all choices of its parameters."""
    return _abilities(cls)  # type: ignore[arg-type]  # classes are hashable


@cache
def _abilities(cls: type[Learner]) -> Abilities:
    default = _default(cls)
    variants = list(_variants(default)) if default is not None else []
    takes = dict(_kinds(cls, default, variants))
    gaps = _missing(default, variants)
    if gaps is not None:
        takes["missing"] = gaps
    if cls.handles_interventions:
        takes["interventions"] = ""
    references = {p.type.reference.to for p in cls.parameters().values() if p.type.reference}
    if "settings" in references:
        gaps = "" if cls.handles_missing else _SUCH
        takes |= {"missing": gaps, "interventions": _SUCH}
    if "constraints" in references and getattr(cls, "honours_constraints", True):
        takes |= {"constraints": "", "tiers": ""}
    if "algorithm" in references:
        takes["start"] = ""
    ordered = {word: takes[word] for word in TAKES if word in takes}
    gives = dict(_gives(cls, default, variants))
    # Benchpress's names have the assumptions of the learner that they run.
    assumes = cls.assumes or getattr(getattr(cls, "runs", None), "assumes", ())
    return Abilities(_family(cls), ordered, gives, _deciding(default, variants), assumes)


def chosen(cls: type[Learner], takes: set[str], gives: set[str]) -> bool:
    """Return whether a learner takes and gives all the named things."""
    abilities = abilities_of(cls)
    return takes <= set(abilities.takes) and gives <= set(abilities.gives)


def _family(cls: type[Learner]) -> str:
    package, *rest = cls.__module__.split(".")
    if package != "dagathlon" or not rest:
        return "own"
    room = rest[1] if rest[0] == "learners" and len(rest) > 1 else rest[0]
    return room if room in FAMILIES else "own"


def _default(cls: type[Learner]) -> Learner | None:
    """Return the learner with default parameters; None if a parameter has no default."""
    required = any(parameter.required for parameter in cls.parameters().values())
    return None if required else cls()


def _variants(default: Learner) -> Iterator[tuple[str, Learner]]:
    """Yield copies of the learner with one parameter changed, for each choice of each parameter."""
    for name, parameter in type(default).parameters().items():
        values = list(_choices(parameter.type.schema))
        if parameter.type.names == "test":
            usual: Mapping[DataKind, str] = getattr(default, "default_tests", {})
            known = dict.fromkeys([*usual.values(), *known_tests()])
            values = [*known, *(with_ending(test, DELETION) for test in known)]
        elif parameter.type.names == "score":
            values = list(known_scores())
        for value in values:
            try:
                variant = replace(default, **{parameter.attribute: value})
                if not variant.problem():
                    yield f"{name}={value}", variant
            except (DagathlonError, KeyError, ValueError):
                continue


def _choices(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the values that a JSON schema enumerates."""
    yield from (value for value in schema.get("enum", ()) if value is not None)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _choices(part)


def _kinds(
    cls: type[Learner], default: Learner | None, variants: list[tuple[str, Learner]]
) -> Iterator[tuple[str, str]]:
    """Yield the kinds of data that are taken, each with the parameters needed for it."""
    for kind in KINDS:
        if kind not in cls.takes:
            continue
        if default is None or kind in default.accepted():
            yield kind, ""
        else:
            alone = (how for how, one in variants if kind in one.accepted())
            yield kind, next(alone, "") or _by(_deciding(default, variants))


def _missing(default: Learner | None, variants: list[tuple[str, Learner]]) -> str | None:
    """Return the parameters with which missing values are handled; None if there are none."""
    settings = []
    for kind in KINDS if default is not None else ():
        gaps = DataFacts(kind, missing=True)
        tried = [("", cast(Learner, default)), *variants]
        able = (
            how for how, one in tried if kind in one.accepted() and not one.why_unsuitable(gaps)
        )
        settings += [how for how in [next(able, None)] if how is not None]
    return _joined(list(dict.fromkeys(filter(None, settings)))) if settings else None


def _by(names: tuple[str, ...]) -> str:
    return f"by {' and '.join(names)}" if names else "with other parameters"


def _joined(settings: list[str]) -> str:
    """Join settings of one parameter as ``test=zf.td|mi.td``."""
    pairs = [setting.split("=", 1) for setting in settings]
    if len({name for name, _ in pairs}) == 1:
        return f"{pairs[0][0]}={'|'.join(value for _, value in pairs)}"
    return " or ".join(settings)


def _deciding(default: Learner | None, variants: list[tuple[str, Learner]]) -> tuple[str, ...]:
    if default is None:
        return ()
    usual = default.accepted()
    return tuple(
        dict.fromkeys(how.split("=")[0] for how, one in variants if one.accepted() != usual)
    )


def _gives(
    cls: type[Learner], default: Learner | None, variants: list[tuple[str, Learner]]
) -> Iterator[tuple[str, str]]:
    """Yield the kinds of graph that are given, with their parameters; also "posterior"."""
    usual = cls.gives if default is None else default.output()
    if usual != "chain":
        yield usual, ""
    for output in dict.fromkeys(one.output() for _, one in variants):
        if output not in (usual, "chain"):
            yield output, next(how for how, one in variants if one.output() == output)
    if cls.samples or cls.gives_posterior:
        yield "posterior", ""
