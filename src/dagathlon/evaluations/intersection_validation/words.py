"""What intersection-validation says in sentences: whether to believe it, and who is first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from dagathlon.evaluations.intersection_validation.forecast import (
    ADVICE,
    FEW_SHARED,
    REACH,
    percent,
)
from dagathlon.evaluations.intersection_validation.tables import Validated
from dagathlon.evaluations.intersection_validation.validation import (
    OVERLAP,
    Forecast,
    IntervalResult,
    RankTest,
)
from dagathlon.frame import grouped
from dagathlon.report.section import Tone, Words
from dagathlon.wording import agreeing, counted, listed

HOW = (
    "What all learners say about a pair of variables on all rows, an edge or none, is taken for "
    "the truth about that pair. Then every learner is run on subsamples, the same ones for all. "
    "Its distance is the number of these pairs of which it says something else there: the fewer, "
    "the sooner it finds what all of them find in the end. Pairs on which learners differ on all "
    "rows do not count. Agreement is no proof: what all get wrong together counts as right."
)
_BELIEVE: Mapping[str, tuple[str, Tone]] = {
    "good": ("By its forecast this ranking deserves belief.", "good"),
    "fair": ("Take this ranking with care.", "fair"),
    "not reliable": ("Do not rely on this ranking.", "bad"),
}
_MEANING = {
    "good": (
        "In its inventors' experiments with a known truth, rankings with as much agreement were "
        f"close to the ranking by the truth. {REACH}"
    ),
    "fair": (
        "In its inventors' experiments with a known truth, rankings with more than 90 % were close "
        f"to the ranking by the truth, and those with less than 80 % often were not. {REACH}"
    ),
    "not reliable": (
        "In its inventors' experiments with a known truth, rankings with fewer than five shared "
        "edges or less than 80 % of all pairs often differed from the ranking by the truth."
    ),
}
_DIFFERENT = f"{REACH} {ADVICE} Between algorithms it shows who agrees with whom, and how soon."
_NAMED, _MOST_NOTES = 3, 12


def belief(data_sets: Sequence[Validated]) -> Iterator[Words]:
    """Yield the sentences on whether to believe the ranking, with both figures."""
    outlook = [data_set.result.forecast for data_set in data_sets if data_set.result is not None]
    if len(data_sets) == 1 and data_sets[0].result is not None:
        result = data_sets[0].result
        words, tone = _BELIEVE[result.forecast.verdict]
        if reserved(result):
            words, tone = f"{words.rstrip('.')}, with the reservation below.", "fair"
        figures = _figures(result)
        settings = result.forecast.of_settings
        meaning = _MEANING[result.forecast.verdict] if settings else _DIFFERENT
        yield Words(f"{words} {figures} {meaning}", "", tone)
    elif outlook:
        counts = Counter[str](data_set.verdict for data_set in outlook)
        each = [f"{verdict} on {counts[verdict]}" for verdict in _BELIEVE if counts[verdict]]
        worst: Tone = "bad" if counts["not reliable"] > len(outlook) / 2 else "fair"
        tone = "good" if counts["good"] == len(outlook) else worst
        sizes = [data_set.relative_size for data_set in outlook]
        edges = [data_set.n_connected for data_set in outlook]
        yield Words(
            f"Whether the rankings deserve belief: {', '.join(each)} of {len(outlook)} data sets. "
            f"All learners agree on {percent(min(sizes))} to {percent(max(sizes))} of all pairs "
            f"and share {min(edges)} to {max(edges)} edges. {_judged(outlook)}",
            "",
            tone,
        )


def _judged(outlook: Sequence[Forecast]) -> str:
    """Return the sentence on the limits by which several rankings are judged."""
    if not all(item.of_settings for item in outlook):
        return _DIFFERENT
    return (
        "Under 80 %, or with fewer than five edges, a ranking is not reliable, above 90 % it is "
        "good."
    )


def reserved(result: IntervalResult) -> bool:
    """Return whether agreement is inflated by similar learners or by missing edges."""
    outlook = result.forecast
    easy = bool(result.duplicates) or outlook.edge_share < FEW_SHARED
    return outlook.verdict != "not reliable" and easy


def _figures(result: IntervalResult) -> str:
    """Return the sentence with the numbers of agreed pairs and edges."""
    outlook = result.forecast
    shared = f"{outlook.n_connected:,}" if outlook.n_connected else "none"
    if result.language != "skeletons":
        shared += " in the same way (directions count here)"
    part = f"{percent(outlook.relative_size)} of all pairs of variables"
    return (
        f"The {len(result.learners)} learners agree on {part} ({outlook.n_pairs:,} of "
        f"{outlook.n_all:,}). Of {counted(outlook.n_joined, 'pair')} that any of them joins, all "
        f"join {shared}."
    )


def lead(data_sets: Sequence[Validated]) -> str:
    """Return a sentence for the lead of the page; empty unless the forecast is good."""
    good = [
        data_set.result
        for data_set in data_sets
        if data_set.result is not None and data_set.result.forecast.verdict == "good"
    ]
    if len(data_sets) == 1:
        return _lead_of(good[0]) if good else ""
    firsts = Counter(name for result in good for name in first_of(result))
    if not firsts:
        return ""
    (name, most), *others = firsts.most_common(_NAMED)
    each = [f"{name} is first or among the first on {most}"]
    each += [f"{other} on {n}" for other, n in others]
    return (
        f"On {len(good)} of {len(data_sets)} data sets the learners agree enough to be ranked by "
        f"what all of them find; {listed(each)}."
    )


def _lead_of(result: IntervalResult) -> str:
    first = first_of(result)
    if not first:
        return ""
    outlook = result.forecast
    agree = (
        f"{percent(outlook.relative_size)} of all pairs and {counted(outlook.n_connected, 'edge')}"
    )
    verb = "ranks first" if len(first) == 1 else "share the first place"
    but = ", with a reservation" if reserved(result) else ""
    return (
        f"By what all {len(result.learners)} learners agree on ({agree}, so that the forecast is "
        f"good{but}), {listed(first)} {verb} on subsamples{_beside(result, first)}."
    )


def _beside(result: IntervalResult, first: Sequence[str]) -> str:
    """Return the clause on whether chance explains the first place."""
    equals = [name for name in equals_of(result) if name not in first]
    if not result.tests:
        return "; with so few subsamples there is no telling whether by luck"
    if equals and result.tests[-1].differ and len(equals) + len(first) == len(result.learners):
        return f", but no other learner can be told apart from {_it(first)}"
    if len(equals) + len(first) == len(result.learners):
        return ", but no learner stands out by more than chance"
    return f"; {listed(equals)} cannot be told apart from {_it(first)}" if equals else ""


def _it(first: Sequence[str]) -> str:
    return "it" if len(first) == 1 else "them"


def first_of(result: IntervalResult) -> list[str]:
    """Return the first learners over all sizes."""
    return [place.learner for place in result.ranking if place.place == 1]


def weighted(result: IntervalResult) -> Iterator[Words]:
    """Yield a sentence on who is first when pairs are weighted by bootstrap confidence."""
    if all(row.weighted_phd is None for row in result.distances):
        return
    first = result.first_by("weighted_phd")
    same = " as well" if first == first_of(result) else ""
    if first:
        yield Words(
            "Where each pair counts by how often learners come back to it on bootstrap samples of "
            f"all rows, {listed(first)} {agreeing(len(first), 'is', 'are')} first{same}."
        )


def overall(result: IntervalResult) -> RankTest | None:
    """Return the rank test over all sizes, or of the only one."""
    return result.tests[-1] if result.tests else None


def equals_of(result: IntervalResult) -> list[str]:
    """Return the learners that the test cannot distinguish from the first."""
    test = overall(result)
    if test is None:
        return []
    names, first = test.nemenyi.names, first_of(result)
    places = [names.index(name) for name in first if name in names]
    groups = [g for g in test.groups if any(g[0] <= place <= g[1] for place in places)]
    return list(dict.fromkeys(name for a, b in groups for name in names[a : b + 1]))


def tested(result: IntervalResult) -> str:
    """Return the outcome of the tests, for the caption of the diagram."""
    test = overall(result)
    if test is None:
        return ""
    p = test.friedman.p_value
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    where = "over all sizes" if test.size is None else f"on subsamples of {test.size:,} rows"
    differ = "they differ" if test.differ else "they need not differ"
    if test.differ and test.groups == ((0, len(test.nemenyi.names) - 1),):
        differ += ", though it cannot be said which two"
    return f"Friedman's test {where}: {shown}, {differ}. {OVERLAP}"


def remarks(data_sets: Sequence[Validated]) -> Iterator[Words]:
    """Yield notes on learners that fail, inflate or break the agreement, and on missing runs."""
    grave = {note for data_set in data_sets if data_set.result for note in _grave(data_set.result)}
    sentences = grouped(
        (note, data_set.name) for data_set in data_sets for note in _notes(data_set)
    )
    for number, (note, names) in enumerate(sentences.items()):
        if number == _MOST_NOTES:
            yield Words(
                f"There are {len(sentences) - number} further remarks; interval.json has all."
            )
            return
        where = "" if len(names) == len(data_sets) else f"{listed(names[:_NAMED])}{_more(names)}: "
        yield Words(f"{where}{note}", "", "fair" if note in grave and len(data_sets) == 1 else "")


def _notes(data_set: Validated) -> Iterator[str]:
    if data_set.reason:
        yield f"There is no ranking: {data_set.reason}."
    if data_set.missing:
        verb = agreeing(data_set.missing, "is", "are")
        yield (
            f"{counted(data_set.missing, 'subsample')} {verb} still to be learned from by some "
            "learner; numbers are of the others."
        )
    if data_set.result is None:
        return
    yield from data_set.result.notes
    rows, largest = data_set.result.rows, max(data_set.result.sizes, default=0)
    if rows is not None and 2 * largest > rows:
        yield (
            "The largest subsamples have more than half of the rows and share most of them: their "
            "distances vary less than those of new data would."
        )


def _grave(result: IntervalResult) -> Iterator[str]:
    """Yield the serious notes: broken or inflated agreement, agreement on missing edges."""
    broken = {row.words for row in result.sensitivity if row.breaks}
    for note in result.notes:
        stacked = bool(result.duplicates) and "almost the same" in note
        easy = reserved(result) and "mostly missing edges" in note
        if note.rstrip(".") in broken or stacked or easy:
            yield note


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
