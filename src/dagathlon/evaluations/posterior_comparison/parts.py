"""The parts of the page about posteriors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dagathlon.evaluations.posterior_comparison import words as belief_words
from dagathlon.evaluations.posterior_comparison.charts import (
    belief_matrix,
    difference_tiles,
    distance_against_cost,
    edge_graph,
    edges_by_method,
    reliability_plot,
    trace_plot,
)
from dagathlon.evaluations.posterior_comparison.tables import (
    LEAST_WRITTEN,
    Named,
    by_method,
    disputed,
)
from dagathlon.frame import Cells, Row, Rows, grouped
from dagathlon.report.charts.parts import Chart
from dagathlon.report.evaluation import TableSet
from dagathlon.report.section import Figure, Grid, Listing, Part, Picture, Variant, Words

# A page shows so many charts, and so many drawings, of one sort; the files have all.
_MOST_CHARTS, _MOST_PICTURES, _MOST_SETS, _FEW_SETS = 24, 8, 8, 3
_MOST_ROWS = 500
# A longer table is folded.
_LONG = 30
# A matrix of more variables than the latter would not fit on any screen.
_MANY_NODES, _MOST_NODES = 40, 300
_EDGES = (
    "Each cell is the probability of an edge, from left to right, that a method gives; edges are "
    "in the order of their mean."
)
_MATRIX = "Probability of the edge from row to column."
_GRAPH = (
    "Width and strength of a line: the probability that the two are joined. An arrow is as strong "
    "as the share of its direction; arrows at both ends mean that both directions occur. Rest the "
    "pointer on an edge for the numbers."
)
# Of graphs without directions.
_PAIRS = (
    "Each cell is the probability of an edge that a method gives; edges are in the order of their "
    "mean."
)
_PAIR_MATRIX = "Probability of each edge, on both sides of the diagonal."
_PAIR_GRAPH = (
    "Width and strength of a line: the probability that the two are joined. Hover over an "
    "edge for the number."
)
_RELIABILITY = (
    "Of the edges (or paths) that a method gives about the same probability, the share that is "
    "true; larger points are more of them. On the dashed line probabilities mean what they say; "
    "below it a method is too sure that edges are there, above it too little."
)
_SCORES = (
    "Over all pairs of variables. Brier: mean squared error. Log score: mean of minus the "
    "logarithm of the probability of what is true (0.001 at least). ECE: mean gap in the "
    "reliability diagram."
)
_TRACE = (
    "The score along each chain; the grey part is left out. Chains that have settled go up and "
    "down at the same height. The axis is that of the part that counts."
)
_CHAINS = (
    "R̂ is near 1 where chains (or the halves of one) agree. The effective size is the number of "
    "independent draws that would tell as much. Apart: the largest difference between two chains "
    "in the probability of an edge. The worst of all data sets."
)
_COST = (
    "Each small point is a data set, each large one the median of a method; the lower left corner "
    "is best."
)
_APART = "The difference between two methods in the probability of an edge."


def shown_sets(posteriors: Sequence[Named]) -> dict[str, list[Named]]:
    """Return the data sets to draw: the first of each kind, or the first few of one kind."""
    sets = grouped(
        ((posterior.case, posterior.belief.whose.seed), posterior) for posterior in posteriors
    )
    kinds = len({case for case, _ in sets})
    each = 1 if kinds > 1 else _FEW_SETS
    taken: dict[str, int] = {}
    chosen: dict[str, list[Named]] = {}
    for (case, _), group in sets.items():
        taken[case] = taken.get(case, 0) + 1
        if taken[case] <= each and len(chosen) < _MOST_SETS:
            chosen[group[0].set_name] = group
    return chosen


def edge_parts(
    shown: Mapping[str, Sequence[Named]], least: float, closed: bool = False
) -> Iterator[Part]:
    """Yield edges by method, matrices, and graphs, folded if asked."""
    tiles = [(name or "all methods", _by_method(group)) for name, group in shown.items()]
    each = [posterior for group in shown.values() for posterior in group]
    directed = _directed(each)
    caption = _EDGES if directed else _PAIRS
    yield Figure("belief-edges", "Which edges are probable?", caption, tiles)
    drawable = [posterior for posterior in each if len(posterior.belief.names) <= _MOST_NODES]
    matrices = [(_title(posterior), _matrix(posterior, least)) for posterior in drawable]
    frames = " Red frames are the edges of the true graph." if _has_truth(each) else ""
    cut = ""
    if any(len(posterior.belief.names) > _MANY_NODES for posterior in each):
        cut = f" Of more than {_MANY_NODES} variables, probabilities below {least:g} are left out."
    caption = (
        (_MATRIX if directed else _PAIR_MATRIX)
        + frames
        + cut
        + _left_out(len(matrices), _MOST_CHARTS)
    )
    if matrices:
        yield Figure("belief-matrix", "The posterior as a matrix", caption, matrices[:_MOST_CHARTS])
    yield _pictures(shown, least)._replace(closed=closed)


def table_parts(shown: Mapping[str, Sequence[Named]]) -> Iterator[Part]:
    """Yield the searchable table of edges of the drawn data sets."""
    rows = [row for group in shown.values() for row in _wide(group)]
    words = f"The first {_MOST_ROWS} of {len(rows):,} edges." if len(rows) > _MOST_ROWS else ""
    yield Words(words, "Probabilities of edges")
    yield Listing("edge-probabilities", rows[:_MOST_ROWS])


def _by_method(group: Sequence[Named]) -> Chart:
    names = group[0].belief.names
    alike = {
        posterior.method: posterior.belief.edges
        for posterior in group
        if posterior.belief.names == names
    }
    return edges_by_method(names, alike, group[0].truth, group[0].belief.mark)


def _matrix(posterior: Named, least: float) -> Chart:
    belief, edges, truth = posterior.belief, posterior.belief.edges, posterior.truth
    if not _directed([posterior]):
        edges, truth = edges + edges.T, None if truth is None else truth | truth.T
    small = len(belief.names) <= _MANY_NODES
    return belief_matrix(belief.names, edges, truth, LEAST_WRITTEN if small else least)


def _directed(posteriors: Sequence[Named]) -> bool:
    return any(posterior.belief.mark == "→" for posterior in posteriors)


def _title(posterior: Named) -> str:
    return f"{posterior.method} · {posterior.set_name}" if posterior.set_name else posterior.method


def _has_truth(posteriors: Sequence[Named]) -> bool:
    return any(posterior.truth is not None for posterior in posteriors)


def _left_out(count: int, most: int) -> str:
    return f" The first {most} of {count}." if count > most else ""


def _pictures(shown: Mapping[str, Sequence[Named]], least: float) -> Picture:
    """Draw the graphs of the first data sets, at least one, as many as fit."""
    variants, cut, sets = list[tuple[str, str]](), 0, 0
    for group in shown.values():
        if variants and len(variants) + len(group) > _MOST_PICTURES:
            break
        sets += 1
        for posterior in group[:_MOST_CHARTS]:
            heads = posterior.belief.mark == "→"
            drawn = edge_graph(
                posterior.belief.names, posterior.belief.edges, posterior.truth, least, heads
            )
            variants.append((_title(posterior), drawn.picture.for_page()))
            cut += drawn.left_out
    each = [posterior for group in shown.values() for posterior in group]
    unless = "drawn only if they are in the truth" if _has_truth(each) else "not drawn"
    caption = _GRAPH if _directed(each) else _PAIR_GRAPH
    caption += f" Pairs below {least:g} are {unless}."
    caption += f" {cut:,} further pairs have no room." if cut else ""
    if sets < len(shown):
        caption += f" Drawn: {', '.join(list(shown)[:sets])}."
    return Picture("belief-graph", "The posterior as a graph", caption, variants)


def _wide(group: Sequence[Named]) -> Iterator[Cells]:
    """Yield one row per edge with a column for each method, the most probable first."""
    names, truth = group[0].belief.names, group[0].truth
    alike = [posterior for posterior in group if posterior.belief.names == names]
    mean = np.mean([posterior.belief.edges for posterior in alike], axis=0)
    for cell in np.argsort(-np.round(mean, 9), axis=None, kind="stable").tolist():
        i, j = divmod(cell, len(names))
        if mean[i, j] < LEAST_WRITTEN and (truth is None or not truth[i, j]):
            continue
        row: Cells = {"data": group[0].set_name} if group[0].set_name else {}
        row["edge"] = f"{names[i]} {group[0].belief.mark} {names[j]}"
        row |= {} if truth is None else {"in the truth": "yes" if truth[i, j] else "no"}
        yield row | {posterior.method: float(posterior.belief.edges[i, j]) for posterior in alike}


def calibration_parts(tables: TableSet) -> Iterator[Part]:
    """Yield the reliability diagram, and scores."""
    rows, scores = tables.rows("calibration"), tables.rows("scores")
    if not rows:
        return
    groups = dict.fromkeys((row["data"], row["of"]) for row in rows)
    variants: list[Variant] = []
    for data, of in groups:
        chosen = [row for row in rows if (row["data"], row["of"]) == (data, of)]
        name = f"{of}, {data}" if data else of
        variants.append((name, reliability_plot(chosen, tables.look)))
    caption = _RELIABILITY + _left_out(len(variants), _MOST_CHARTS)
    question = "Do probabilities mean what they say?"
    yield Figure("reliability", question, caption, variants[:_MOST_CHARTS])
    yield from map(Words, belief_words.calibration(rows, scores))
    yield Words(_SCORES)
    yield _score_grid(scores)


def _score_grid(scores: Rows) -> Grid:
    kinds = list(dict.fromkeys(row["of"] for row in scores))
    columns = {"brier": "Brier", "log_score": "log score", "ece": "ECE"}
    head = ["method", "data sets"]
    head += [f"{words} ({of}) ↓" for of in kinds for words in columns.values()]
    cells: dict[str, list[Any]] = {}
    known = {(row["setting"], row["of"]): row for row in scores}
    for setting in dict.fromkeys(row["setting"] for row in scores):
        members = [known.get((setting, of), {}) for of in kinds]
        cells[setting] = [setting, members[0].get("data sets")]
        cells[setting] += [row.get(column) for row in members for column in columns]
    return Grid(head, list(cells.values()), 1)


def convergence_parts(tables: TableSet, shown: Mapping[str, Sequence[Named]]) -> Iterator[Part]:
    """Yield traces, and the table of convergence diagnostics."""
    traced = [
        posterior for group in shown.values() for posterior in group if posterior.belief.traces
    ]
    if traced:
        variants = [(_title(posterior), _traces(posterior)) for posterior in traced[:_MOST_CHARTS]]
        caption = _TRACE + _left_out(len(traced), _MOST_CHARTS)
        yield Figure("belief-traces", "Have the chains settled?", caption, variants)
    drawn = [row for row in tables.rows("methods") if row["draws"]]
    if drawn:
        yield from map(Words, belief_words.convergence(drawn))
        yield Words(_CHAINS)
        yield _chain_grid(drawn)


def _traces(posterior: Named) -> Chart:
    traces = posterior.belief.traces
    chains = [(trace.state.tolist(), trace.score.tolist()) for trace in traces]
    return trace_plot(chains, traces[0].burnin)


def _chain_grid(rows: Rows) -> Grid:
    head = ["method", "apart about", "chains", "draws", "effective size", "R̂", "apart"]
    cells = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        selected = [row for row in rows if row["setting"] == setting]
        worst = belief_words.most_apart(selected)
        sizes = [row["ess"] for row in selected if row["ess"] is not None]
        rhats = [row["rhat"] for row in selected if row["rhat"] is not None]
        line = [setting, worst["apart about"], selected[0]["chains"], selected[0]["draws"]]
        line += [min(sizes, default=None), max(rhats, default=None), worst["apart"]]
        cells.append(line)
    return Grid(head, cells, 2)


def cost_parts(tables: TableSet, reference: str | None) -> Iterator[Part]:
    """Yield the plot of cost against distance to the reference, or to the true graph."""
    rows: list[Row] = [{**row, "case": row["data"]} for row in tables.rows("methods")]
    cases = list(dict.fromkeys(row["case"] for row in rows))
    names = {
        "edge_error": f"largest error against {reference}",
        "graph_mmd": f"Graph MMD to {reference}",
        "e_shd": "expected SHD to the true graph",
    }
    variants: list[Variant] = []
    for (column, name), case in itertools.product(names.items(), cases):
        selected = [row for row in rows if row["case"] == case and row[column] is not None]
        if selected:
            line = None if column == "e_shd" else _reference_cost(rows, case, reference)
            chart = distance_against_cost(selected, column, tables.look, line)
            variants.append((f"{name}, {case}" if len(cases) > 1 else name, chart))
    if not variants:
        return
    caption = _COST + _left_out(len(variants), _MOST_CHARTS)
    question = "What does a better posterior cost?"
    yield Figure("belief-cost", question, caption, variants[:_MOST_CHARTS])
    yield from map(Words, belief_words.nearest(rows, reference))
    yield _cost_grid(rows)


def _reference_cost(rows: Rows, case: str, reference: str | None) -> tuple[str, float] | None:
    """Return name and median cost of the reference on one kind of data."""
    members = [row["cpu"] for row in rows if row["id"] == reference and row["case"] == case]
    known = [cost for cost in members if cost]
    return (f"{reference} takes this long", float(np.median(known))) if known else None


def _cost_grid(rows: Rows) -> Grid:
    columns = {"cpu": "CPU seconds", "expected edges": "expected edges"}
    columns |= {"e_shd": "E-SHD ↓", "edge_error": "largest error ↓", "graph_mmd": "Graph MMD ↓"}
    present = [name for name in columns if any(row[name] is not None for row in rows)]
    cells: list[list[Any]] = []
    groups = dict.fromkeys((row["case"], row["setting"]) for row in rows)
    several = len({case for case, _ in groups}) > 1
    for case, setting in groups:
        selected = [row for row in rows if (row["case"], row["setting"]) == (case, setting)]
        known = ([row[name] for row in selected if row[name] is not None] for name in present)
        means = [float(np.mean(values)) if values else None for values in known]
        cells.append([*([case] if several else []), setting, *means])
    head = [*(["data"] if several else []), "method", *(columns[name] for name in present)]
    folded = f"All means ({len(cells):,} rows)" if len(cells) > _LONG else ""
    return Grid(head, cells, 1 + several, folded)


def agreement_parts(tables: TableSet, shown: Mapping[str, Sequence[Named]]) -> Iterator[Part]:
    """Yield the distances between methods, and the edges on which they differ."""
    rows = tables.rows("agreement")
    several = {name: group for name, group in shown.items() if len(by_method(group)) > 1}
    if not several:
        return
    variants: list[Variant] = []
    for name, group in several.items():
        methods = list(dict.fromkeys(posterior.method for posterior in group))
        selected = [row for row in rows if row["data"] == name]
        for column in ("largest", "mean"):
            chart = difference_tiles(selected, methods, column, f"{column} difference")
            variants.append((f"{column}, {name}" if name else column, chart))
    question = "Do the methods agree with each other?"
    yield Figure("belief-agreement", question, _APART, variants[:_MOST_CHARTS])
    yield from map(Words, belief_words.agreement(rows))
    name, group = next(iter(several.items()))
    where = f" ({name})" if name else ""
    lines = disputed(group)
    if lines:
        yield Words("", f"Edges on which they differ most{where}")
        yield Grid(list(lines[0]), [list(line.values()) for line in lines], 1)
