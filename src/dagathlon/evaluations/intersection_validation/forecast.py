"""Whether to believe intersection-validation: size of the agreement, who breaks or stacks it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dagathlon.evaluations.intersection_validation.types import Learned, Types
from dagathlon.graphs import PartialGraph
from dagathlon.wording import agreeing, counted, listed

Verdict: TypeAlias = Literal["not reliable", "fair", "good"]

FEWEST_CONNECTED = 5
"""With fewer connected pairs in the agreement graph nothing can be relied on."""
LEAST_SIZE, GOOD_SIZE = 0.8, 0.9
"""Parts of all pairs: not reliable under the first, good above the second."""
_LIMITS = (0, 100 * LEAST_SIZE, 100 * GOOD_SIZE, 100)
FEW_SHARED = 0.25
"""With a lesser part of the edges shared by all, agreement is mostly on missing edges."""
REACH = (
    "In our own studies the method ranked settings of one algorithm well, and different algorithms "
    "hardly better than chance, however much they agreed on."
)
"""What a forecast cannot say; docs/reproduction.md has the numbers."""
ADVICE = "Use it to choose between settings of one algorithm, such as 'pc[alpha=0.001,0.01,0.05]'."
_DIFFERENT = "the learners are {n} different algorithms, which the method cannot rank"
# A learner breaks the agreement when without it so many times as many pairs are connected, and at
# least so many more: two pairs rather than one are no news.
_TIMES, _MORE = 2, 3
# Two learners are almost equal when so small a part of their edges differs, or a larger one that is
# small beside what others differ by.
_ALMOST, _NEAR, _BESIDE = 0.02, 0.1, 0.2
_MOST = 0.5


class Forecast(NamedTuple):
    """Forecast of how well distances to the agreement graph rank learners.

    Parameters
    ----------
    n_connected
        Pairs that all learners join in the same way.
    n_pairs, n_all
        Pairs on which all learners agree, joined or not, and all pairs.
    relative_size
        The one as a part of the other.
    verdict
        ``not reliable`` where the learners are different algorithms; of the settings of one (or of
        learners whose algorithms are not known) what the size of the agreement says, `by_limits`.
    reason
        The same in a sentence.
    edge_share
        Connected pairs as a part of the pairs that any learner joins; 1 where nobody joins any. No
        limit of the paper: of many variables most pairs are joined by nobody, and so agreed on.
    algorithms
        How many different algorithms the learners are; 0 where that is not known.
    """

    n_connected: int
    n_pairs: int
    n_all: int
    relative_size: float
    verdict: Verdict
    reason: str
    edge_share: float
    algorithms: int = 0

    @property
    def by_limits(self) -> Verdict:
        """Return the verdict by the paper's limits, found for settings of one algorithm."""
        return verdict_of(self.n_connected, self.relative_size)

    @property
    def of_settings(self) -> bool:
        """Return whether the learners are settings of one algorithm, as far as is known."""
        return self.algorithms < 2

    @property
    def n_joined(self) -> int:
        """Return the number of pairs that at least one learner joins."""
        return self.n_connected + self.n_all - self.n_pairs


def forecast(agreement: PartialGraph, algorithms: Iterable[str] = ()) -> Forecast:
    """Forecast the reliability of the ranking from an agreement graph.

    Settings of one algorithm are judged by the limits that the inventors found. A ranking of
    different algorithms is not reliable, whatever they agree on: in our own studies it was hardly
    better than chance (docs/reproduction.md).

    Parameters
    ----------
    agreement
        What all learners agree on.
    algorithms
        The algorithm of each learner, where that is known.

    References
    ----------
    Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating structure
    learning without ground truth, AISTATS.
    """
    return _forecast(agreement.n_connected, agreement.n_pairs, agreement.n_all, algorithms)


def forecast_among(learned: Learned, learners: Iterable[int]) -> Forecast:
    """Return the forecast for a subset of the learners, given by number."""
    chosen = list(learners)
    inside = learned.agreed(chosen)
    connected = int(np.count_nonzero(inside & (learned.whole[chosen[0]] != 0)))
    n_pairs = learned.n_all - int(np.count_nonzero(~inside))
    algorithms = [learned.algorithms[i] for i in chosen] if learned.algorithms else []
    return _forecast(connected, n_pairs, learned.n_all, algorithms)


def _forecast(n_connected: int, n_pairs: int, n_all: int, algorithms: Iterable[str]) -> Forecast:
    size = n_pairs / n_all if n_all else 1.0
    verdict = verdict_of(n_connected, size)
    reason = _reason(n_connected, size, verdict)
    different = list(dict.fromkeys(algorithms))
    if len(different) > 1:
        verdict, reason = "not reliable", f"{_DIFFERENT.format(n=len(different))}; {reason}"
    joined = n_connected + n_all - n_pairs
    share = n_connected / joined if joined else 1.0
    return Forecast(n_connected, n_pairs, n_all, size, verdict, reason, share, len(different))


def verdict_of(n_connected: float, size: float) -> Verdict:
    """Return the verdict for an agreement graph, or for means over several.

    Parameters
    ----------
    n_connected, size
        Number of connected pairs, and part of all pairs that are agreed on.
    """
    if n_connected < FEWEST_CONNECTED or size < LEAST_SIZE:
        return "not reliable"
    return "good" if size > GOOD_SIZE else "fair"


def _reason(n_connected: int, size: float, verdict: Verdict) -> str:
    edges = counted(n_connected, "edge") if n_connected else "no edge"
    only = f"only {edges}" if n_connected else edges
    part = percent(size)
    few, small = n_connected < FEWEST_CONNECTED, size < LEAST_SIZE
    if few and small:
        return f"all learners share {only}, and agree on only {part} of all pairs"
    if few:
        return f"all learners share {only}; fewer than {FEWEST_CONNECTED} are too few"
    if small:
        return f"the learners agree on only {part} of all pairs; under 80 % is too little"
    if verdict == "good":
        return f"all learners share {edges} and agree on {part} of all pairs"
    return f"all learners share {edges}, but agree on {part} of all pairs; good is above 90 %"


def percent(part: float) -> str:
    """Return a part as a percentage, with more digits where rounding would cross a limit."""
    for digits in range(1, 6):
        shown = round(100 * part, digits)
        if [np.sign(shown - at) for at in _LIMITS] == [np.sign(100 * part - at) for at in _LIMITS]:
            break
    return f"{shown:.{digits}f} %"


class LeftOut(NamedTuple):
    """Agreement graph without a learner, or without several almost equal ones.

    Parameters
    ----------
    learners
        Who is left out.
    n_connected, n_pairs, relative_size, verdict
        As in `Forecast`, of what the others agree on.
    breaks
        Whether the agreement of the others is broken by them: without them at least twice as many
        pairs are connected (and three or more further ones), or the forecast is no longer "not
        reliable".
    words
        What that means, empty where nothing is broken.
    """

    learners: tuple[str, ...]
    n_connected: int
    n_pairs: int
    relative_size: float
    verdict: Verdict
    breaks: bool
    words: str


def leave_one_out(learned: Learned, together: Iterable[Sequence[str]] = ()) -> list[LeftOut]:
    """Return the agreement graph without each of the learners; empty for fewer than three.

    Parameters
    ----------
    learned
        What the learners say on all rows.
    together
        Groups of learners to leave out as one, such as near-duplicates, which hide each other.
    """
    everyone = range(len(learned.learners))
    before = forecast_among(learned, everyone)
    groups = [(name,) for name in learned.learners] + [tuple(group) for group in together]
    rows = []
    for group in groups:
        others = [i for i in everyone if learned.learners[i] not in group]
        if len(others) >= 2:
            rows.append(_left_out(group, before, forecast_among(learned, others)))
    return rows


def _left_out(group: tuple[str, ...], before: Forecast, after: Forecast) -> LeftOut:
    more = after.n_connected >= max(_TIMES * before.n_connected, before.n_connected + _MORE)
    rescued = before.by_limits == "not reliable" != after.by_limits
    words = _broken(group, before, after) if more or rescued else ""
    return LeftOut(
        group,
        after.n_connected,
        after.n_pairs,
        after.relative_size,
        after.verdict,
        more or rescued,
        words,
    )


def _broken(group: tuple[str, ...], before: Forecast, after: Forecast) -> str:
    single = len(group) == 1
    if before.n_connected:
        departs = f"depart{'s' if single else ''} from what the others share"
    else:
        departs = f"disagree{'s' if single else ''} with the others on every edge that they share"
    pairs = counted(after.n_connected, "pair")
    words = (
        f"{listed(group)} {departs}: without {'it' if single else 'them'} {pairs} "
        f"{agreeing(after.n_connected, 'is', 'are')} connected rather than {before.n_connected}, "
        f"and {percent(after.relative_size)} of all pairs agreed on rather than "
        f"{percent(before.relative_size)}"
    )
    if before.verdict == after.verdict:
        return words
    return f"{words}: the forecast would be {after.verdict!r} rather than {before.verdict!r}"


class Duplicate(NamedTuple):
    """Two learners with almost the same graphs, which count twice in the agreement.

    Parameters
    ----------
    left, right
        The learners.
    on_all
        Pairs of different type on all rows, as a part of the pairs that either joins.
    on_subsamples
        The same on subsamples, on average; None without subsamples.
    others
        The median of the same (on subsamples, or without them on all rows) over all other two
        learners; None where there are none.
    """

    left: str
    right: str
    on_all: float
    on_subsamples: float | None
    others: float | None


def near_duplicates(learned: Learned) -> list[Duplicate]:
    """Return the pairs of learners that are almost equal.

    They are when at most 2 % of the edges of the two differ, on all rows and on at least half of
    the subsamples; or at most 10 %, on all rows and on average over subsamples, where that is at
    most a fifth of what other two learners differ by (their median).
    """
    pairs = list(combinations(range(len(learned.learners)), 2))
    whole = {pair: _difference(learned, *pair) for pair in pairs}
    parts = {pair: _differences(learned, *pair) for pair in pairs}
    typical = {pair: float(np.mean(parts[pair])) if parts[pair] else whole[pair] for pair in pairs}
    rows = []
    for pair in pairs:
        rest = [typical[other] for other in pairs if other != pair]
        others = float(np.median(rest)) if rest else None
        if _is_duplicate(whole[pair], parts[pair], typical[pair], others):
            left, right = (learned.learners[i] for i in pair)
            mean = typical[pair] if parts[pair] else None
            rows.append(Duplicate(left, right, whole[pair], mean, others))
    return rows


def _is_duplicate(
    whole: float, parts: Sequence[float], typical: float, others: float | None
) -> bool:
    often = not parts or float(np.mean([part <= _ALMOST for part in parts])) >= _MOST
    if whole <= _ALMOST and often:
        return True
    return others is not None and max(whole, typical) <= min(_NEAR, _BESIDE * others)


def _difference(learned: Learned, left: int, right: int) -> float:
    return _shares(learned.whole[[left]], learned.whole[[right]])[0]


def _differences(learned: Learned, left: int, right: int) -> list[float]:
    """Return the share of differing pairs on each subsample where both learners have a graph."""
    result: list[float] = []
    for size, types in learned.parts.items():
        both = learned.there[size][left] & learned.there[size][right]
        result += _shares(types[left][both], types[right][both])
    return result


def _shares(left: Types, right: Types) -> list[float]:
    """Return differing pairs as a share of the pairs joined by either; 0 for two empty graphs."""
    joined = np.count_nonzero(left | right, axis=1)
    shares = np.count_nonzero(left != right, axis=1) / np.maximum(joined, 1)
    return [float(share) for share in shares]


def groups_of(duplicates: Iterable[Duplicate]) -> list[tuple[str, ...]]:
    """Return groups of learners connected by near-duplicate pairs."""
    groups: list[list[str]] = []
    for pair in duplicates:
        met = [group for group in groups if pair.left in group or pair.right in group]
        rest = [group for group in groups if group not in met]
        names = dict.fromkeys(name for group in (*met, [pair.left, pair.right]) for name in group)
        groups = [*rest, list(names)]
    return [tuple(group) for group in groups]
