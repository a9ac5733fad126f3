"""Score-based learners for interventional data."""

from __future__ import annotations

from dataclasses import dataclass

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.learners.score.score_based import ScoreBased
from dagathlon.learners.score.score_kinds import score_class, shared_scores, without_targets
from dagathlon.modules import Delegate, SharedCode

# Version of the rule for intervened rows. Bump it when other rows are left out.
_CHOICE = SharedCode("choice", "interventions", 2)


@dataclass(frozen=True, kw_only=True)
class InterventionalScore(ScoreBased):
    """Base class of learners whose score accounts for known intervention targets.

    The value of an intervened variable does not depend on its parents: such rows are left out
    of its own term and count in those of all other variables.

    Parameters
    ----------
    interventions
        Whether rows with an intervention on a variable are left out of its term: bge, bde and
        bic-dg are then replaced by mbge, mbde and l0-dg. Otherwise the data are treated as
        observational.
    """

    handles_interventions = True

    interventions: bool = True

    def chosen_score(self, data: Dataset) -> str:
        """Return the name of the score for these data, in its interventional form."""
        name = super().chosen_score(data)
        return without_targets(name) if self._counts_targets(data) else name

    def native_score(self, data: Dataset) -> _core.Score:
        """Return the native score on these data."""
        return super().native_score(self.as_seen(data))

    def as_seen(self, data: Dataset) -> Dataset:
        """Return the data, without intervention targets if they are to be ignored."""
        if self.interventions or data.regimes is None:
            return data
        return Dataset(data.variables, codes=data.codes, values=data.values)

    def notes(self, data: Dataset) -> tuple[str, ...]:
        """Return a note if the data have targets and the score ignores them."""
        notes = super().notes(data)
        name = self.chosen_score(data)
        if not self._counts_targets(data) or score_class(name).knows_targets:
            return notes
        return (*notes, f"Score {name} takes no notice of interventions: all rows count the same.")

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the scores, their interventional forms included."""
        delegates = super().delegates()
        if not self.interventions:
            return delegates
        named = self.default_scores.values() if self.score is None else (self.score,)
        others = [without_targets(name) for name in named if score_class(name).without_targets]
        return (*delegates, *shared_scores(others), _CHOICE)

    def _counts_targets(self, data: Dataset) -> bool:
        known = data.regimes is not None and not data.regimes.is_observational
        return self.interventions and known
