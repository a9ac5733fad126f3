"""Learner specs of Python and the command line, as entries of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from dagathlon.data.spec import DataFacts
from dagathlon.errors import DataError, StudyError, listing
from dagathlon.learners.base import Learner
from dagathlon.learners.spec import LearnerLike, LearnerSpec, is_learner
from dagathlon.modules import Module
from dagathlon.study.config.expand import Setting, expand
from dagathlon.study.config.json_source import Node

_FEWEST = 2
_LONGEST_ID = 60


@dataclass(frozen=True)
class Pick:
    """A learner for a study: one entry, which may have several settings.

    Parameters
    ----------
    id
        Its name in tables.
    module
        The learner's class.
    values
        Parameters as a study writes them; a list is tried in full.
    settings
        All combinations of the values.
    file
        The user's file that defines it; None for an installed learner.
    """

    id: str
    module: type[Module]
    values: Mapping[str, Any]
    settings: Sequence[Setting]
    file: Path | None = None


def picks_of(learners: Any) -> list[Pick]:
    """Return learners as entries of a study.

    Parameters
    ----------
    learners
        A list, or a mapping by the names that tables shall have, of names, texts such as
        ``pc[alpha=0.01,0.05]``, pairs of a name and a mapping of parameters, `Learner` objects and
        their classes.
    """
    if isinstance(learners, Mapping) and not is_learner(learners):
        return [_pick(learner, str(name)) for name, learner in learners.items()]
    picks = [_pick(learner) for learner in ([learners] if is_learner(learners) else learners)]
    return list(_with_unique_ids(picks))


def check_picks(picks: Sequence[Pick], facts: DataFacts) -> None:
    """Raise when fewer than two learners take the data, or one occurs twice."""
    settings = [(pick, setting) for pick in picks for setting in pick.settings]
    if len(settings) < _FEWEST:
        names = listing(pick.id for pick in picks)
        raise StudyError(f"two learners or more are compared, and there is {names}")
    for place, (_, setting) in enumerate(settings):
        for earlier, other in settings[:place]:
            if (other.module, other.start) == (setting.module, setting.start):
                raise StudyError(
                    f"{earlier.id} is given twice: it would agree with itself in everything; leave "
                    "one of them out"
                )
    refused = _refused(settings, facts)
    if len(settings) - len(refused) < _FEWEST:
        raise DataError(
            "fewer than two of these learners take these data: "
            + "; ".join(f"{name}: {reason}" for name, reason in refused)
        )


def _refused(settings: Sequence[tuple[Pick, Setting]], facts: DataFacts) -> list[tuple[str, str]]:
    """Return learners that cannot run on such data or this machine, with the reason."""
    refused = []
    for pick, setting in settings:
        reason = pick.module.unavailable or cast(Learner, setting.module).why_unsuitable(facts)
        if reason:
            refused.append((pick.id, reason))
    return refused


def _pick(learner: LearnerLike, name: str = "") -> Pick:
    """Return a learner as an entry under the given name, else under its own."""
    spec, file = LearnerSpec.of(learner).findable()
    settings = expand(spec.cls, spec.values, Node(spec.values, spec.text))
    return Pick(name or spec.name, spec.cls, spec.values, settings, file)


def _with_unique_ids(picks: Sequence[Pick]) -> Iterator[Pick]:
    """Yield picks with unique ids: several of one learner are named by their parameters."""
    names = [pick.id for pick in picks]
    taken: set[str] = set()
    for pick in picks:
        short = pick.id if names.count(pick.id) == 1 or not pick.values else _spelt(pick)
        number = next(n for n in range(1, len(picks) + 1) if _numbered(short, n) not in taken)
        numbered = _numbered(short, number)
        taken.add(numbered)
        yield Pick(numbered, pick.module, pick.values, pick.settings, pick.file)


def _spelt(pick: Pick) -> str:
    """Return the name with its parameters, unless that is too long or no file name."""
    single = {key: value for key, value in pick.values.items() if not isinstance(value, list)}
    text = f"{pick.id}[{','.join(f'{key}={value}' for key, value in single.items())}]"
    plain = single and len(text) <= _LONGEST_ID and "/" not in text
    return text if plain else pick.id


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
