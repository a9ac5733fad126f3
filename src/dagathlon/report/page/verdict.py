"""The verdict: who is best by each metric and on each kind of data, with what to make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dagathlon.evaluate.ranking.verdict import Contender, KindVerdict, Verdict
from dagathlon.report.page.lead import (
    NOT_YET,
    NOTHING,
    contenders,
    lead_of,
    no_truth,
    number,
    ranked_data,
    shown_as,
    stated,
)
from dagathlon.report.page.sections import text
from dagathlon.report.page.tables import Tables, case_names
from dagathlon.report.results import Results
from dagathlon.report.tables.metrics import HEAD
from dagathlon.report.tables.metrics import by_kind as sortabilities
from dagathlon.report.tables.runs import Combination, combinations
from dagathlon.report.words import short_title, words
from dagathlon.wording import counted

_MOST_KINDS = 500
_OPEN_KINDS = 30
_NAMED, _FEW = 2, 4
_NO_RANKS = (
    '<p class="muted">Too few data sets have numbers of the same algorithms, so that none is '
    "ranked over all of them: the verdict is on each kind of data.</p>"
)
_HOW_AVERAGED = {
    "data_set": "ranks are averaged over data sets.",
    "block": "ranks are averaged within blocks of data sets, then over blocks.",
}
_BELIEF = {True: "clear", False: "too close to call", None: "one seed: cannot tell"}


def verdicts_of(tables: Tables) -> list[Verdict]:
    """Return verdicts by all headline metrics, the main one first."""
    if not tables.has_truth:
        return []
    several = len({row["id"] for row in tables.runs}) > 1
    metrics = dict.fromkeys([tables.quality, *tables.headlines])
    verdicts = []
    for metric in metrics:
        better = words(metric).better if metric is not None and metric != "memory" else ""
        if metric is None or not better:
            continue
        verdict = tables.verdict(metric)
        # A metric that only one of several algorithms has is no contest.
        if verdict is not None and verdict.kinds and (verdict.is_contest or not several):
            verdicts.append(verdict)
    return verdicts


def lead(
    results: Results, tables: Tables, verdicts: Sequence[Verdict], sentences: Sequence[str] = ()
) -> str:
    """Return the lead of the page as HTML.

    Parameters
    ----------
    results, tables, verdicts
        Those of the setup.
    sentences
        What its evaluations say where there is no truth.
    """
    if not results.plan.runs:
        return NOTHING
    if not tables.compared:
        return NOT_YET
    if not tables.has_truth and any(row["status"] == "ok" for row in tables.runs):
        ran = {row["id"] for row in tables.runs if row["status"] == "ok"}
        return no_truth([name for name in results.ids if name in ran], sentences)
    return lead_of(verdicts, tables.quality)


def verdict_tables(tables: Tables, verdicts: Sequence[Verdict]) -> str:
    """Return the tables of winners: one by metric, and one for each of several kinds of data."""
    if not verdicts:
        return ""
    remark = tables.results.metric_note
    return _tables(tables, verdicts) + (f'<p class="muted">{remark}</p>' if remark else "")


def _tables(tables: Tables, verdicts: Sequence[Verdict]) -> str:
    if max(len(verdict.kinds) for verdict in verdicts) == 1:
        most = max(verdict.kinds[0].n for verdict in verdicts)
        return _table(_HEAD, [_metric_cells(verdict, most) for verdict in verdicts]) + _note(
            most, verdicts
        )
    by_kind = _by_kind(
        verdicts[0], case_names(combinations(tables.runs)), sortabilities(tables.results.case_rows)
    )
    if not any(verdict.ranked_first for verdict in verdicts):
        return _NO_RANKS + by_kind
    summary = _table(_RANK_HEAD, [_rank_cells(verdict) for verdict in verdicts]) + _rank_note(
        verdicts[0]
    )
    return summary + by_kind


_HEAD = (
    *("metric", "best", "mean ± 95\u00a0%", "next algorithm", "mean ± 95\u00a0%"),
    *("gap", "difference", "best baseline"),
)
_KIND_HEAD = ("data", *_HEAD[1:])


def _metric_cells(verdict: Verdict, most: int) -> list[str]:
    """Return the cells of one metric, with a note where its data differ from the others'."""
    n = verdict.kinds[0].n
    fewer = "" if n == most else f" <small>({n} of {most} data sets)</small>"
    title = short_title(verdict.metric).replace("time (s)", "time")  # its numbers say their unit
    return [text(title) + fewer, *_kind_cells(verdict.kinds[0], verdict.metric)]


def _kind_cells(kind: KindVerdict, metric: str) -> list[str]:
    second = kind.second
    cells = [_best(kind), shown_as(metric, kind.best[0].result, stated)]
    cells += (
        ["–"] * 2 if second is None else [_name(second), shown_as(metric, second.result, stated)]
    )
    cells.append("–" if kind.gap is None else shown_as(metric, kind.gap))
    return [*cells, _belief(kind), _baseline(kind)]


def _best(kind: KindVerdict) -> str:
    """Return the winner, or how many share the place with all names in the tooltip."""
    if len(kind.best) <= _NAMED:
        return "; ".join(map(_name, kind.best))
    names = text("; ".join(winner.setting for winner in kind.best))
    whose = f"{len(kind.first)} algorithms" if len(kind.first) > 1 else text(kind.best[0].id)
    label = f"{len(kind.best)} settings of {whose}"
    if len(kind.best) == len(kind.first) <= _FEW:
        label = text(", ".join(winner.id for winner in kind.best))
    return f'<span class="shared" title="{names}">{label}</span>'


def _belief(kind: KindVerdict) -> str:
    words = _BELIEF[kind.clear]
    if len(kind.first) > 1:
        words = "tie"
    elif kind.second is None:
        words = "others incomplete" if kind.incomplete else "no other algorithm"
    return f'<span class="belief {"clear" if kind.clear else "unclear"}">{words}</span>'


def _baseline(kind: KindVerdict) -> str:
    if kind.baseline is None:
        return "–"
    label = f"{kind.baseline.name}: {number(kind.baseline.value)}"
    if kind.best[0].setting in kind.below:
        return f'<span class="below">▾ {label}, better than all settings</span>'
    worse = f' <small class="below">▾ {len(kind.below)} worse</small>' if kind.below else ""
    return f'<span title="{text("; ".join(kind.below))}">{label}{worse}</span>'


def _note(n: int, verdicts: Sequence[Verdict]) -> str:
    each = "" if n == 1 else ", data set by data set"
    about = f"Means over {n} data sets, ± the half width of a 95 % interval over seeds."
    parts = [
        about if n > 1 else "Values on one data set, which cannot tell what is luck.",
        f"The gap is the winner against the best setting of any other algorithm{each}. Settings "
        "that share the best mean are counted, not crowned. Baselines are graphs that nobody had "
        "to learn: empty, complete, random; ▾ is worse than the best of them.",
        *_flattery(verdicts),
    ]
    return f'<p class="muted">{" ".join(parts)}</p>'


def _flattery(verdicts: Sequence[Verdict]) -> Iterable[str]:
    most = max(verdict.n_settings for verdict in verdicts)
    if most > 1:
        yield (
            f"The best of {most} settings is picked on the same data it is judged by, so its "
            "advantage is a little flattered."
        )


_RANK_HEAD = (
    *("metric", "first", "average rank", "next algorithm", "average rank", "gap", "difference"),
    *("best on", "of the baseline's distance"),
)


def _rank_cells(verdict: Verdict) -> list[str]:
    """Return the cells of one metric over all kinds of data."""
    first, later = verdict.ranked_first, [place for place in verdict.places if place.place > 1]
    cells = [text(short_title(verdict.metric))]
    if not first:
        return [*cells, *["–"] * (len(_RANK_HEAD) - 1)]
    names = "; ".join(place.setting for place in first)
    leader = _broken(first[0].setting) if len(first) == 1 else f"{len(first)} algorithms"
    cells += [f'<span title="{text(names)}">{leader}</span>', f"{first[0].average:.2f}"]
    gap = later[0].average - first[0].average if later else None
    cells += [_broken(later[0].setting), f"{later[0].average:.2f}"] if later else ["–"] * 2
    cells += ["–" if gap is None else f"{gap:.2f}", _rank_belief(verdict, gap)]
    wins = sum(bool(kind.first & verdict.first) for kind in verdict.kinds)
    share = verdict.relative(first[0].setting) if len(first) == 1 else None
    return [
        *cells,
        f"{wins} of {counted(len(verdict.kinds), 'kind')}",
        "–" if share is None else f"{share:.0%}",
    ]


def _rank_belief(verdict: Verdict, gap: float | None) -> str:
    clear, belief = False, "tie"
    groups = verdict.contest.nemenyi()
    if len(verdict.places) < 2:
        belief = "no other algorithm"
    elif groups is None:
        belief = f"{counted(verdict.contest.n_blocks, 'block')}: no test"
    elif gap is not None and len(verdict.ranked_first) == 1:
        clear = gap > groups.difference
        belief = "clear" if clear else "too close to call"
    return f'<span class="belief {"clear" if clear else "unclear"}">{belief}</span>'


def _rank_note(verdict: Verdict) -> str:
    contest, test = verdict.contest, ""
    groups = contest.nemenyi()
    if groups is not None:
        test = (
            " A gap is clear when it exceeds the critical difference, "
            f"{groups.difference:.2f} for {short_title(verdict.metric)}, as in the diagram of the "
            "ranking."
        )
    blocks = counted(contest.n_blocks, "block")
    return (
        '<p class="muted">Values on unlike data are not averaged: '
        f"{contenders(verdict)} are ranked on each data set, here on {ranked_data(contest)}, and "
        f"{_HOW_AVERAGED[contest.unit]} Who takes no part in a data set has the mean rank there, "
        "which is neither for nor against it. A block is a true graph with a seed, here "
        f"{blocks}: sample sizes, noise and parameters of the same seed are no further evidence, "
        f"so that tests count blocks.{test} The distance is that of the first, as a share of the "
        "best baseline's (the empty, the complete or a random graph), averaged over kinds of "
        "data.</p>"
    )


def _by_kind(
    verdict: Verdict, names: Mapping[Combination, str], sortable: Mapping[Combination, str]
) -> str:
    """Return the table of verdicts by kind of data, with sortability."""
    kinds = verdict.kinds[:_MOST_KINDS]
    lines = [[text(_case(kind, names)), *_kind_cells(kind, verdict.metric)] for kind in kinds]
    head: tuple[str, ...] = _KIND_HEAD
    if sortable:
        head += (HEAD,)
        for kind, line in zip(kinds, lines, strict=True):
            line.append(sortable.get(Combination(*map(str, kind.kind)), "–"))
    title = f"Each kind of data, by {text(short_title(verdict.metric))}"
    more = len(verdict.kinds) - len(kinds)
    rest = (
        f'<p class="muted">{more:,} further kinds are in the table of settings.</p>' if more else ""
    )
    opened = " open" if len(kinds) <= _OPEN_KINDS else ""
    return (
        f'<details class="kinds"{opened}><summary>{title}</summary>'
        f"{_table(head, lines)}{rest}</details>"
    )


def _case(kind: KindVerdict, names: Mapping[Combination, str]) -> str:
    which = Combination(*map(str, kind.kind))
    return names.get(which, ", ".join(which))


def _name(contender: Contender) -> str:
    return _broken(contender.setting)


def _broken(setting: str) -> str:
    """Return a setting with line breaks allowed between its parameters only."""
    return text(setting).replace(" = ", "\u00a0=\u00a0")


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of HTML cells, with row and column headers."""
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)

    def line(cells: Sequence[str]) -> str:
        pairs = zip(head, cells, strict=True)
        return "".join(f'<td data-label="{text(name)}">{cell}</td>' for name, cell in pairs)

    body = "".join(f"<tr>{line(cells)}</tr>" for cells in lines)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="verdict">'
        '<table class="verdict">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
