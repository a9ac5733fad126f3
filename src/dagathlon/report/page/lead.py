"""The result of a study in a few sentences that do not say more than the numbers do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from dagathlon.evaluate.ranking.contest import Contest, Placed
from dagathlon.evaluate.ranking.significance import LEAST_BLOCKS
from dagathlon.evaluate.ranking.verdict import Contender, Interval, KindVerdict, Verdict
from dagathlon.frame import grouped
from dagathlon.report.page.sections import text
from dagathlon.report.words import short_title, time_unit, words
from dagathlon.wording import agreeing, counted, listed

NOTHING = (
    '<p class="lead">Nothing was learned: no evaluation of the study names an algorithm in its '
    "<code>ids</code>.</p>"
)
NO_VERDICT = '<p class="lead">No run has a result that could be compared.</p>'
NOT_YET = '<p class="lead">No data set has all its runs yet, so that there is no verdict.</p>'
_NO_TRUTH = "There is no true graph to compare with. This report shows what"
_PLACES = 6
_NOTHING = 1e-9
_MANY_DATA_SETS = 10
_ALL = {1: "the only", 2: "both"}
_NAMED = 3
# They say what a result cost or one side of it only.
_NO_QUALITY = ("time", "memory", "TPR_pattern", "FPRn_pattern")


def no_truth(ids: Collection[str], sentences: Sequence[str] = ()) -> str:
    """Return the lead of a page without truth, with the sentences of its evaluations."""
    (only,) = ids if len(ids) == 1 else ("",)
    what = f"{_strong(only)} found and how far to trust it" if only else ""
    what = what or "the algorithms found and where they agree"
    return f'<p class="lead">{" ".join([f"{_NO_TRUTH} {what}.", *map(text, sentences)])}</p>'


def lead_of(verdicts: Sequence[Verdict], quality: str | None) -> str:
    """Return the lead: the best algorithm, the evidence for it, and what limits it."""
    chosen = next((verdict for verdict in verdicts if verdict.metric == quality), None)
    if chosen is None:
        return NO_VERDICT
    sentences = _one_kind(chosen) if len(chosen.kinds) == 1 else _several_kinds(chosen)
    main = f'<p class="lead">{" ".join(sentences)}</p>'
    doubts = " ".join(
        [*_baselines(chosen), *_incomplete(chosen), *_disagreements(chosen, verdicts)]
    )
    return main + (f'<p class="doubts">{doubts}</p>' if doubts else "")


def _one_kind(chosen: Verdict) -> Iterator[str]:
    """Yield sentences on the best mean on the only kind of data, and the next algorithm."""
    (kind,) = chosen.kinds
    measure = words(chosen.metric)
    value = f"{text(measure.title)} {stated(kind.best[0].result)}"
    value += f"{text(measure.meaning)}, {_over(kind.n)}"
    beaten = kind.best[0].setting in kind.below and kind.baseline is not None
    if kind.baseline is not None and beaten:
        yield f"No setting beats {kind.baseline.name} ({number(kind.baseline.value)})."
    if len(kind.best) > 1:
        yield f"{_sharing(kind, chosen.n_settings)} share the best {value}."
    elif beaten:
        yield f"The best of them is {_strong(kind.best[0].setting)}: {value}."
    else:
        yield f"{_strong(kind.best[0].setting)} came closest to the truth: {value}."
    if kind.second is not None and kind.gap is not None:
        yield _runner_up(kind, kind.second, kind.gap)


def _sharing(kind: KindVerdict, n_settings: int) -> str:
    """Return the clause naming those who share the first place, or their number."""
    if len(kind.best) <= _NAMED:
        return listed([_strong(winner.setting) for winner in kind.best])
    every = "All " if len(kind.best) == n_settings else ""
    whose = f"{len(kind.first)} algorithms" if len(kind.first) > 1 else text(kind.best[0].id)
    return f"<strong>{every}{len(kind.best)} settings of {whose}</strong>"


def _over(n: int) -> str:
    """Return the clause on the data a mean is over."""
    return "on the only data set" if n == 1 else f"on average over {n:,} data sets"


def _runner_up(kind: KindVerdict, second: Contender, gap: Interval) -> str:
    start = f"The next algorithm, {_strong(second.setting)}, is {shown(gap)} behind"
    if kind.clear is None:
        return f"{start}; one data set cannot tell whether by luck."
    if kind.clear:
        return f"{start}: more than chance explains."
    few = f" {kind.n} data sets are few: more seeds would tell." if kind.n < _MANY_DATA_SETS else ""
    return f"{start}: too close to call.{few}"


def _several_kinds(chosen: Verdict) -> Iterator[str]:
    """Yield sentences on wins by kind of data, then on average ranks over all data."""
    title = text(words(chosen.metric).title)
    counts = Counter(name for kind in chosen.kinds for name in sorted(kind.first)).most_common()
    n = len(chosen.kinds)
    if len(counts) == 1:
        every = _ALL.get(n, f"all {n}")
        yield f"{_strong(counts[0][0])} is best by {title} on {every} kinds of data."
    elif counts:
        (name, most), *others = counts[:_NAMED]
        first = f"{_strong(name)} is best or among the best on {most} of {n} kinds of data"
        each = [first, *(f"{_strong(other)} on {count}" for other, count in others)]
        rest = _others([count for _, count in counts[_NAMED:]], counts[_NAMED - 1 : _NAMED])
        yield f"By {title}, {listed(each)}{rest}."
    if len(chosen.places) > 1:
        yield _ranked(chosen)
        yield _followers(chosen)
        yield from _partly(chosen.contest)


def _others(counts: Sequence[int], last: Sequence[tuple[str, int]]) -> str:
    """Return the clause on algorithms that are best on some kinds of data but not named."""
    if not counts:
        return ""
    ((_, most),) = last
    often = "as many" if counts[-1] == most else "as many or fewer"
    often = "fewer" if counts[0] < most else often
    return f"; {counted(len(counts), 'other')} on {often}"


def contenders(chosen: Verdict) -> str:
    """Describe the competitors, such as '3 algorithms at their best-ranked settings'."""
    n = len(chosen.places)
    if not chosen.contest.of_algorithms:
        return counted(n, "setting")
    each = " at their best-ranked settings" if chosen.n_settings > n else ""
    return counted(n, "algorithm") + each


def ranked_data(contest: Contest) -> str:
    """Return the clause on the data that average ranks are over, in the ranking's unit."""
    blocks = contest.unit == "block" and contest.n_cases > 1
    n = contest.n_blocks if blocks else contest.n_cases
    noun = agreeing(n, "data set", "data sets")
    if blocks:
        noun = f"{agreeing(n, 'block', 'blocks')} of data ({counted(contest.n_cases, 'data set')})"
    if contest.n_cases < contest.n_all:
        which = f"{n:,} {noun}" if n > 1 else noun
        return f"the {which} in which two or more of those ranked took part"
    return f"{_ALL.get(n, f'all {n:,}')} {noun}"


def _ranked(chosen: Verdict) -> str:
    first = chosen.ranked_first
    names = listed([_strong(place.setting) for place in first[: _NAMED + 1]])
    if len(first) > _NAMED + 1:
        kind = "algorithms" if chosen.contest.of_algorithms else "settings"
        names = f"<strong>{len(first)} {kind}</strong>"
    verb = "is first" if len(first) == 1 else "share the first place"
    share = chosen.relative(first[0].setting) if len(first) == 1 else None
    against = "" if share is None else f"; its distance is {share:.0%} of the best baseline's"
    rank = f"{first[0].average:.2f} among {contenders(chosen)}{against}"
    return f"By average rank over {ranked_data(chosen.contest)}, {names} {verb} ({rank})."


def _followers(chosen: Verdict) -> str:
    first, later = chosen.places[0], [place for place in chosen.places if place.place > 1]
    if not later:
        return ""
    second = [place for place in later if place.place == later[0].place]
    blocks = f"{counted(chosen.contest.n_blocks, 'block')} of data"
    verb = agreeing(len(second), "follows", "follow")
    start = f"{_few([place.setting for place in second])} {verb} with {later[0].average:.2f}"
    groups = chosen.contest.nemenyi()
    if groups is None:
        there_are = agreeing(chosen.contest.n_blocks, "there is", "there are")
        least = f"at least {LEAST_BLOCKS} are needed"
        return f"{start}; no test is made, since {there_are} only {blocks} ({least})."
    limit = f"the critical difference of {groups.difference:.2f} on {blocks}"
    if later[0].average - first.average > groups.difference:
        return f"{start}, further away than {limit}: more than chance explains."
    return f"{start}, within {limit}: too close to call."


def _partly(contest: Contest) -> Iterator[str]:
    """Yield sentences on algorithms that took part in some of the data sets only."""
    some = [place for place in contest.places if place.n < contest.n_cases]
    if some:
        first, *others = some[: _NAMED + 1]
        each = [f"{text(first.setting)} took part in {first.n}"]
        each += [f"{text(place.setting)} in {place.n}" for place in others]
        more = len(some) - len(each)
        each += [f"{more} more in some"] if more else []
        yield f"{listed(each)} of these {counted(contest.n_cases, 'data set')}."
    if contest.absent:
        names = list(contest.absent)
        who = listed(list(map(text, names))) if len(names) <= _NAMED else f"{len(names)} algorithms"
        verb = agreeing(len(names), "is", "are")
        few = "a result on less than half of the data sets, or on none with others"
        yield f"{who} {verb} not ranked, with {few}."


def _baselines(chosen: Verdict) -> Iterator[str]:
    """Yield sentences on baseline graphs, and on algorithms that are worse."""
    if len(chosen.kinds) > 1:
        yield from _baselines_by_kind(chosen)
        return
    (kind,) = chosen.kinds
    if kind.baseline is None or kind.best[0].setting in kind.below:
        return
    worse = ""
    if kind.below:
        names = f" ({listed([text(n) for n in kind.below])})" if len(kind.below) <= _NAMED else ""
        verb = agreeing(len(kind.below), "is", "are")
        worse = f"; {len(kind.below)} of {len(kind.means)} settings {verb} worse than that{names}"
    yield f"The best baseline is {kind.baseline.name}: {number(kind.baseline.value)}{worse}."


def _baselines_by_kind(chosen: Verdict) -> Iterator[str]:
    known = [kind for kind in chosen.kinds if kind.baseline is not None]
    hopeless = sum(kind.best[0].setting in kind.below for kind in known)
    if hopeless:
        yield (
            f"On {hopeless} of {counted(len(known), 'kind')} of data no setting beats the best "
            "baseline (the empty, the complete or a random graph)."
        )
    counts = Counter(setting for kind in known for setting in kind.below)
    often = [(name, n) for name, n in counts.most_common() if 2 * n >= len(known)]
    if often:
        each = [f"{text(name)} (on {n})" for name, n in often[: _NAMED + 1]]
        more = f" and {len(often) - _NAMED - 1} more" if len(often) > _NAMED + 1 else ""
        where = f"half or more of {counted(len(known), 'kind')}"
        yield f"Worse than the best baseline on {where}: {', '.join(each)}{more}."


def _incomplete(chosen: Verdict) -> Iterator[str]:
    """Yield the clause on algorithms without a mean over the same data as the others."""
    if len(chosen.kinds) > 1:
        return
    names = dict.fromkeys(
        competitor.setting for kind in chosen.kinds for competitor in kind.incomplete
    )
    if names:
        who = listed([text(name) for name in names]) if len(names) <= _NAMED else ""
        who = who or f"{len(names)} settings"
        verb, has = agreeing(len(names), "does", "do"), agreeing(len(names), "has", "have")
        yield f"{who} {has} no number on some or all data sets and {verb} not compete there."


def _disagreements(chosen: Verdict, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield sentences on ranks or other metrics that name another winner."""
    ranked = chosen.ranked_first
    if len(chosen.kinds) == 1 and ranked and not chosen.first & {verdict.id for verdict in ranked}:
        yield _by_rank(chosen, ranked)
    others = grouped(
        (tuple(sorted(verdict.first)), _metric(verdict, chosen))
        for verdict in verdicts
        if verdict.metric not in _NO_QUALITY and not verdict.first & chosen.first and verdict.first
    )
    parts = [
        f"by {listed(metrics)} {_few(names)} {agreeing(len(names), 'is', 'are')} first"
        for names, metrics in others.items()
    ]
    if parts:
        yield f"Metrics disagree: {'; '.join(parts)}."


def _metric(verdict: Verdict, chosen: Verdict) -> str:
    """Return a metric in words, with its data if they differ from those of the lead."""
    title = text(_plain(verdict.metric))
    n, usual = (_data_sets(shown_verdict) for shown_verdict in (verdict, chosen))
    return title if n == usual else f"{title} (over {counted(n, 'data set')})"


def _data_sets(verdict: Verdict) -> int:
    return verdict.kinds[0].n if len(verdict.kinds) == 1 else verdict.contest.n_cases


def _by_rank(chosen: Verdict, ranked: Sequence[Placed]) -> str:
    mine = next((place for place in chosen.places if place.id in chosen.first), None)
    against = "" if mine is None else f" against {mine.average:.2f}"
    verb = agreeing(len(ranked), "is", "are")
    first = _few([place.id for place in ranked])
    return (
        f"By average rank over {ranked_data(chosen.contest)}, {first} {verb} first "
        f"({ranked[0].average:.2f}{against}): ranks count on how many data sets "
        "somebody is better, means by how much."
    )


def _few(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"each of {len(names)} algorithms"
    return listed([_strong(name) for name in names])


def _plain(metric: str) -> str:
    """Return a column title without its arrow."""
    return short_title(metric).rstrip(" ↑↓")


def _strong(name: str) -> str:
    return f"<strong>{text(name)}</strong>"


def shown(interval: Interval) -> str:
    """Format mean and half width with the decimals that the half width supports."""
    if not interval.half_width:
        return number(interval.mean)
    if abs(interval.mean) >= 1e5:
        return f"{interval.mean:.3g} ± {interval.half_width:.2g}"
    places = min(max(1 - math.floor(math.log10(interval.half_width)), 0), _PLACES)
    mean = f"{interval.mean:,.{places}f}"
    if not float(mean.replace(",", "")) and abs(interval.mean) > _NOTHING * interval.half_width:
        mean = f"{interval.mean:.1g}"  # half an edge is not none
    return f"{mean} ± {interval.half_width:,.{places}f}"


def stated(interval: Interval) -> str:
    """Format mean and half width, the mean with as many digits as in the tables."""
    mean, plus_minus, half_width = shown(interval).partition(" ± ")
    return max(number(interval.mean), mean, key=len) + plus_minus + half_width


def shown_as(metric: str, interval: Interval, show: Callable[[Interval], str] = shown) -> str:
    """Format an interval of a metric, times in a readable unit."""
    if metric != "time":
        return show(interval)
    scale, unit = time_unit(max(abs(interval.mean), interval.half_width or 0.0))
    half_width = None if interval.half_width is None else interval.half_width * scale
    return f"{show(Interval(interval.mean * scale, half_width))} {unit}"


def number(value: float) -> str:
    """Format with three digits, large numbers with all."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
