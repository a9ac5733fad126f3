"""The result of a study in a few sentences that do not say more than the numbers do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from dagathlon.evaluate.significance import LEAST_BLOCKS
from dagathlon.evaluate.verdict import Contender, Interval, KindVerdict, Placed, Verdict
from dagathlon.report.page.sections import text
from dagathlon.report.words import short_title, time_unit, words

NOTHING = (
    '<p class="lead">Nothing was learned: no evaluation of the study names an algorithm in its '
    "<code>ids</code>.</p>"
)
NO_VERDICT = '<p class="lead">No run has a result that could be compared.</p>'
NOT_YET = '<p class="lead">No data set has all its runs yet, so that there is no verdict.</p>'
_NO_TRUTH = "There is no true graph to compare with. This report shows what"
_PLACES = 6
_MANY_DATA_SETS = 10
_NAMED = 3
# They say what a result cost or one side of it only.
_NO_QUALITY = ("time", "memory", "TPR_pattern", "FPRn_pattern")


def no_truth(ids: Collection[str], told: Sequence[str] = ()) -> str:
    """What there is to read where nothing can be compared with a truth, and what it says."""
    (only,) = ids if len(ids) == 1 else ("",)
    what = f"{_strong(only)} found and how far to trust it" if only else ""
    what = what or "the algorithms found and where they agree"
    return f'<p class="lead">{" ".join([f"{_NO_TRUTH} {what}.", *map(text, told)])}</p>'


def lead_of(verdicts: Sequence[Verdict], quality: str | None) -> str:
    """Who is best, whether to believe it, and what speaks against it."""
    chosen = next((one for one in verdicts if one.metric == quality), None)
    if chosen is None:
        return NO_VERDICT
    sentences = _one_kind(chosen) if len(chosen.kinds) == 1 else _several_kinds(chosen)
    main = f'<p class="lead">{" ".join(sentences)}</p>'
    doubts = " ".join(
        [*_baselines(chosen), *_incomplete(chosen), *_disagreements(chosen, verdicts)]
    )
    return main + (f'<p class="doubts">{doubts}</p>' if doubts else "")


def _one_kind(chosen: Verdict) -> Iterator[str]:
    """The best mean on the only kind of data, and the next algorithm."""
    (kind,) = chosen.kinds
    value = f"{text(words(chosen.metric).title)} {shown(kind.best[0].result)}"
    value += _meaning(chosen.metric)
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
    """Who shares the first place: by name if there are few."""
    if len(kind.best) <= _NAMED:
        return _listed([_strong(one.setting) for one in kind.best])
    every = "All " if len(kind.best) == n_settings else ""
    whose = f"{len(kind.first)} algorithms" if len(kind.first) > 1 else text(kind.best[0].id)
    return f"<strong>{every}{len(kind.best)} settings of {whose}</strong>"


def _meaning(metric: str) -> str:
    """What a metric counts, for readers who meet it for the first time."""
    if metric.startswith("SHD"):
        return ", which counts the edges to add, to remove or to turn (0 is perfect)"
    return " (1 is perfect)" if metric.startswith("F1") else ""


def _runner_up(kind: KindVerdict, second: Contender, gap: Interval) -> str:
    start = f"The next algorithm, {_strong(second.setting)}, is {shown(gap)} behind"
    if kind.clear is None:
        return f"{start}; with one data set of a kind there is no telling whether by luck."
    if kind.clear:
        return f"{start}: more than chance explains."
    few = f" {kind.n} data sets are few: more seeds would tell." if kind.n < _MANY_DATA_SETS else ""
    return f"{start}: too close to call.{few}"


def _several_kinds(chosen: Verdict) -> Iterator[str]:
    """Who is best on how many kinds of data, then average ranks."""
    title = text(words(chosen.metric).title)
    counts = Counter(name for kind in chosen.kinds for name in sorted(kind.first)).most_common()
    n = len(chosen.kinds)
    if len(counts) == 1:
        every = "both" if n == 2 else f"all {n}"
        yield f"{_strong(counts[0][0])} is best by {title} on {every} kinds of data."
    else:
        each = [f"{_strong(name)} on {count}" for name, count in counts[:_NAMED]]
        rest = _others([count for _, count in counts[_NAMED:]], counts[_NAMED - 1 : _NAMED])
        yield f"Of {n} kinds of data, by {title}, best or among the best is {_listed(each)}{rest}."
    if len(chosen.places) > 1:
        yield _ranked(chosen)
        yield _followers(chosen)


def _others(counts: Sequence[int], last: Sequence[tuple[str, int]]) -> str:
    """Those who are best on some kinds of data but not named; some as often as the last named."""
    if not counts:
        return ""
    ((_, most),) = last
    often = "as many" if counts[-1] == most else "as many or fewer"
    often = "fewer" if counts[0] < most else often
    return f"; {len(counts)} other{'' if len(counts) == 1 else 's'} on {often}"


def _ranked(chosen: Verdict) -> str:
    first = chosen.ranked_first
    names = _listed([_strong(one.setting) for one in first[: _NAMED + 1]])
    if len(first) > _NAMED + 1:
        names = f"<strong>{len(first)} algorithms</strong>"
    verb = "is first" if len(first) == 1 else "share the first place"
    share = chosen.relative(first[0].setting) if len(first) == 1 else None
    against = "" if share is None else f", with {share:.0%} of the best baseline's distance"
    rank = f"{first[0].average:.2f} among {len(chosen.places)} algorithms"
    return f"By average rank over all of them {names} {verb} ({rank}{against})."


def _followers(chosen: Verdict) -> str:
    first, later = chosen.places[0], [one for one in chosen.places if one.place > 1]
    blocks = f"{chosen.n_blocks} block{'' if chosen.n_blocks == 1 else 's'} of data"
    if not later:
        return ""
    start = f"{_strong(later[0].setting)} follows with {later[0].average:.2f}"
    if chosen.nemenyi is None:
        least = f"at least {LEAST_BLOCKS} are needed"
        return f"{start}; no test is made, since there are only {blocks} ({least})."
    limit = f"the critical difference of {chosen.nemenyi.difference:.2f} on {blocks}"
    if later[0].average - first.average > chosen.nemenyi.difference:
        return f"{start}, further away than {limit}: more than chance explains."
    return f"{start}, within {limit}: too close to call."


def _baselines(chosen: Verdict) -> Iterator[str]:
    """What graphs score that nobody had to learn, and who is worse."""
    if len(chosen.kinds) > 1:
        yield from _baselines_by_kind(chosen)
        return
    (kind,) = chosen.kinds
    if kind.baseline is None or kind.best[0].setting in kind.below:
        return
    worse = ""
    if kind.below:
        names = f" ({_listed([text(n) for n in kind.below])})" if len(kind.below) <= _NAMED else ""
        verb = "is" if len(kind.below) == 1 else "are"
        worse = f"; {len(kind.below)} of {len(kind.means)} settings {verb} worse than that{names}"
    yield f"The best baseline is {kind.baseline.name}: {number(kind.baseline.value)}{worse}."


def _baselines_by_kind(chosen: Verdict) -> Iterator[str]:
    known = [kind for kind in chosen.kinds if kind.baseline is not None]
    hopeless = sum(kind.best[0].setting in kind.below for kind in known)
    if hopeless:
        yield (
            f"On {hopeless} of {len(known)} kinds of data no setting beats the best baseline "
            "(the empty, the complete or a random graph)."
        )
    counts = Counter(setting for kind in known for setting in kind.below)
    often = [(name, n) for name, n in counts.most_common() if 2 * n >= len(known)]
    if often:
        each = [f"{text(name)} (on {n})" for name, n in often[: _NAMED + 1]]
        more = f" and {len(often) - _NAMED - 1} more" if len(often) > _NAMED + 1 else ""
        where = f"half of the {len(known)} kinds or more"
        yield f"Worse than the best baseline on {where}: {', '.join(each)}{more}."


def _incomplete(chosen: Verdict) -> Iterator[str]:
    names = dict.fromkeys(one.setting for kind in chosen.kinds for one in kind.incomplete)
    if names:
        who = _listed([text(name) for name in names]) if len(names) <= _NAMED else ""
        who = who or f"{len(names)} settings"
        verb = "does" if len(names) == 1 else "do"
        has = "has" if len(names) == 1 else "have"
        yield f"{who} {has} no number on some or all data sets and {verb} not compete there."


def _disagreements(chosen: Verdict, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Where ranks or other metrics name somebody else."""
    ranked = chosen.ranked_first
    if len(chosen.kinds) == 1 and ranked and not chosen.first & {one.id for one in ranked}:
        yield _by_rank(chosen, ranked)
    others: dict[tuple[str, ...], list[str]] = {}
    for one in verdicts:
        if one.metric not in _NO_QUALITY and not one.first & chosen.first and one.first:
            others.setdefault(tuple(sorted(one.first)), []).append(text(_plain(one.metric)))
    parts = [f"{_few(names)} by {_listed(metrics)}" for names, metrics in others.items()]
    if parts:
        yield f"Metrics disagree: first is {'; '.join(parts)}."


def _by_rank(chosen: Verdict, ranked: Sequence[Placed]) -> str:
    mine = next((one for one in chosen.places if one.id in chosen.first), None)
    against = "" if mine is None else f" against {mine.average:.2f}"
    return (
        f"By average rank {_few([one.id for one in ranked])} is first "
        f"({ranked[0].average:.2f}{against}): ranks count on how many data sets, means by how much."
    )


def _few(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"each of {len(names)} algorithms"
    return _listed([_strong(name) for name in names])


def _plain(metric: str) -> str:
    """The title of a column without its arrow."""
    return short_title(metric).rstrip(" ↑↓")


def _strong(name: str) -> str:
    return f"<strong>{text(name)}</strong>"


def _listed(parts: Sequence[str]) -> str:
    """Words in a row; names of settings have commas themselves."""
    between = "; " if any(", " in part for part in parts) else ", "
    return " and ".join([*([between.join(parts[:-1])] if len(parts) > 1 else []), *parts[-1:]])


def shown(found: Interval) -> str:
    """Mean and half width with as many decimals as the half width deserves."""
    if not found.half_width:
        return number(found.mean)
    if abs(found.mean) >= 1e5:
        return f"{found.mean:.3g} ± {found.half_width:.2g}"
    places = min(max(1 - math.floor(math.log10(found.half_width)), 0), _PLACES)
    return f"{found.mean:,.{places}f} ± {found.half_width:,.{places}f}"


def shown_as(metric: str, found: Interval) -> str:
    """An interval of a metric; times in the unit in which they read best."""
    if metric != "time":
        return shown(found)
    scale, unit = time_unit(max(abs(found.mean), found.half_width or 0.0))
    half_width = None if found.half_width is None else found.half_width * scale
    return f"{shown(Interval(found.mean * scale, half_width))} {unit}"


def number(value: float) -> str:
    """Three digits, or all of a large number."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
