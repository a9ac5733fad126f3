"""Intersection-validation: forecast, sensitivity, duplicates, ranks, against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from dagathlon.errors import DagathlonError, GraphError
from dagathlon.evaluations.intersection_validation.validation import (
    IntervalResult,
    IntervalScore,
    Learned,
    confidence_weights,
    forecast,
    interval_scores,
    interval_validation,
    leave_one_out,
    near_duplicates,
    pairwise,
    rank_tests,
    ranking,
    summarise,
)
from dagathlon.graphs import Graph, PartialGraph, agreement_graph, partial_hamming_distance
from dagathlon.graphs.partial import OUTSIDE

NODES = [f"V{i}" for i in range(8)]
ARCS = [("V0", "V2"), ("V1", "V2"), ("V2", "V3"), ("V4", "V3"), ("V3", "V5"), ("V5", "V6")]
ORDER = ["V0", "V1", "V2", "V4", "V3", "V5", "V6", "V7"]
TRUE = Graph.from_edges(ARCS, names=NODES)


def noisy(rng: np.random.Generator, wrong: float) -> Graph:
    """The same graph with arcs lost and others added, its nodes in some order."""
    kept = {arc for arc in ARCS if rng.random() > wrong}
    joined = {frozenset(arc) for arc in kept}
    more = {
        arc
        for arc in combinations(ORDER, 2)
        if rng.random() < wrong / 5 and frozenset(arc) not in joined
    }
    return Graph.from_edges(sorted(kept | more), names=rng.permutation(NODES).tolist())


def study(seed: int = 1, failing: float = 0.0):
    """Four learners, the later the worse."""
    rng = np.random.default_rng(seed)
    graphs = {name: noisy(rng, 0.05) for name in "abcd"}
    estimates = {
        name: {
            size: [None if rng.random() < failing else noisy(rng, bad) for _ in range(6)]
            for size, bad in ((100, 0.2 + 0.15 * k), (200, 0.1 + 0.1 * k))
        }
        for k, name in enumerate("abcd")
    }
    return graphs, estimates


def partial(connected: int, apart: int, p: int = 10) -> PartialGraph:
    """So many pairs that are joined, and so many that are not agreed on."""
    types = np.zeros((p, p), dtype=np.uint8)
    pairs = list(combinations(range(p), 2))
    for k, (i, j) in enumerate(pairs[: connected + apart]):
        types[i, j] = types[j, i] = 3 if k < connected else OUTSIDE
    return PartialGraph([f"V{i}" for i in range(p)], types)


@pytest.mark.parametrize(
    ("connected", "apart", "verdict", "reason"),
    [
        (4, 0, "not reliable", "share only 4 edges; fewer than 5"),
        (0, 0, "not reliable", "share no edge"),
        (1, 10, "not reliable", "only 1 edge, and agree on only 77.8 %"),
        (20, 10, "not reliable", "agree on only 77.8 % of all pairs; under 80 %"),
        (20, 9, "fair", "80.0 % of all pairs; good is above 90 %"),
        (5, 5, "fair", "88.9 %"),
        (5, 4, "good", "share 5 edges and agree on 91.1 %"),
    ],
)
def test_forecast_by_the_limits_of_the_paper(connected, apart, verdict, reason) -> None:
    told = forecast(partial(connected, apart))
    assert (told.n_connected, told.n_pairs, told.n_all) == (connected, 45 - apart, 45)
    assert told.relative_size == pytest.approx(1 - apart / 45)
    assert told.n_joined == connected + apart
    assert told.edge_share == pytest.approx(connected / max(1, connected + apart) if apart else 1)
    assert told.verdict == verdict
    assert reason in told.reason


def test_different_algorithms_are_not_ranked_reliably_whatever_they_agree_on() -> None:
    agreement = partial(20, 1)
    assert forecast(agreement, ["pc", "pc", "pc"])[:7] == forecast(agreement)[:7]
    told = forecast(agreement, ["pc", "boss", "pc"])
    assert (told.verdict, told.by_limits, told.algorithms) == ("not reliable", "good", 2)
    assert told.reason.startswith("the learners are 2 different algorithms, which the method")
    graphs, estimates = study()
    of = dict(zip(graphs, ["pc", "pc", "hc", "pc"], strict=False))
    found = interval_validation(graphs, estimates, algorithms=of)
    assert found.forecast.verdict == "not reliable"
    words = " ".join(found.summary().split())
    assert (
        "Forecast: not reliable. Do not rely on this ranking: the learners are 2 different" in words
    )
    assert "Use it to choose between settings of one algorithm" in words
    assert IntervalResult.from_json(found.to_json()) == found
    settings = interval_validation(graphs, estimates, algorithms=dict.fromkeys(graphs, "pc"))
    assert settings.forecast.verdict == settings.forecast.by_limits
    # Without the only one of another algorithm the others are settings of one.
    without = {row.learners: row.verdict for row in found.sensitivity}
    known = {row.learners: row.verdict for row in settings.sensitivity}
    assert without[("c",)] == known[("c",)]
    assert without[("a",)] == "not reliable"


def test_ninety_percent_are_fair_and_more_are_good() -> None:
    # Twenty-five nodes have 300 pairs: 90 % exactly is not above 90 %.
    assert forecast(partial(9, 30, p=25)).verdict == "fair"
    assert forecast(partial(9, 29, p=25)).verdict == "good"
    assert forecast(partial(9, 60, p=25)).verdict == "fair"
    assert forecast(partial(9, 61, p=25)).verdict == "not reliable"


def test_arrays_say_what_the_graphs_say() -> None:
    graphs, estimates = study(failing=0.2)
    learned = Learned.of(graphs, estimates)
    agreement = agreement_graph(graphs.values())
    assert learned.agreement == agreement
    for row in interval_scores(learned):
        graph = estimates[row.learner][row.size][row.subsample - 1]
        expected = None if graph is None else partial_hamming_distance(graph, agreement)
        assert row.phd == expected
    told = {row.learners: row for row in leave_one_out(learned, [("a", "b")])}
    for left_out, row in told.items():
        others = agreement_graph([graphs[name] for name in graphs if name not in left_out])
        assert (row.n_connected, row.n_pairs) == (others.n_connected, others.n_pairs)
        assert row.verdict == forecast(others).verdict
    assert len(told) == 5


def test_precision_and_recall_are_over_agreed_pairs() -> None:
    graphs, estimates = study(seed=3)
    agreement = agreement_graph(graphs.values())
    rows = interval_scores(Learned.of(graphs, estimates))
    names = agreement.names
    for row in rows[:8]:
        found = PartialGraph.of(estimates[row.learner][row.size][row.subsample - 1])
        pairs = [pair for pair in combinations(names, 2) if agreement.type_of(*pair) is not None]
        joined = {pair for pair in pairs if found.type_of(*pair)}
        true = {pair for pair in pairs if agreement.type_of(*pair)}
        assert row.adjacency_precision == pytest.approx(len(joined & true) / len(joined))
        assert row.adjacency_recall == pytest.approx(len(joined & true) / len(true))
        heads, right = (
            {pair for pair in [*pairs, *((b, a) for a, b in pairs)] if "->" in one.type_of(*pair)}
            for one in (found, agreement)
        )
        both = len(heads & right)
        assert row.arrowhead_f1 == pytest.approx(2 * both / (len(heads) + len(right)))
        assert row.arrowhead_recall == pytest.approx(both / len(right))
    skeletons = interval_scores(Learned.of(graphs, estimates, by="skeletons"))
    assert {row.arrowhead_f1 for row in skeletons} == {None}
    assert all(a.phd <= b.phd for a, b in zip(skeletons, rows, strict=True))


def test_who_breaks_the_agreement_is_named() -> None:
    turned = Graph.from_edges([("V7", "V0"), ("V7", "V1")], names=NODES)
    graphs = {"a": TRUE, "b": TRUE, "c": TRUE, "odd": turned}
    rows = {row.learners[0]: row for row in leave_one_out(Learned.of(graphs))}
    assert [name for name, row in rows.items() if row.breaks] == ["odd"]
    assert rows["odd"].n_connected == 6
    assert rows["odd"].words == (
        "odd disagrees with the others on every edge that they share: without it 6 pairs are "
        "connected rather than 0, and 100.0 % of all pairs agreed on rather than 71.4 %: the "
        "forecast would be 'good' rather than 'not reliable'"
    )
    assert rows["a"].words == ""
    # Two that are equal hide each other, unless they are left out together.
    graphs["odder"] = turned
    rows = {row.learners: row for row in leave_one_out(Learned.of(graphs), [("odd", "odder")])}
    assert [names for names, row in rows.items() if row.breaks] == [("odd", "odder")]
    assert "odd and odder disagree with" in rows["odd", "odder"].words
    names = ("pc[alpha=0.1, test=g2]", "hc")
    settings = dict(zip((*names, "a", "b"), [turned, turned, TRUE, TRUE], strict=True))
    both = leave_one_out(Learned.of(settings), [names])[-1]
    assert both.words.startswith("pc[alpha=0.1, test=g2] and hc disagree with")
    assert leave_one_out(Learned.of({"a": TRUE, "odd": turned})) == []


def test_near_duplicates_are_equal_where_others_are_not() -> None:
    rng = np.random.default_rng(0)
    parts = [noisy(rng, 0.4) for _ in range(4)]
    others = [noisy(rng, 0.4) for _ in range(4)]
    graphs = {"a": TRUE, "same": TRUE, "other": noisy(rng, 0.3)}
    estimates = {"a": {50: parts}, "same": {50: parts}, "other": {50: others}}
    found = near_duplicates(Learned.of(graphs, estimates))
    assert [(row.left, row.right) for row in found] == [("a", "same")]
    assert (found[0].on_all, found[0].on_subsamples) == (0, 0)
    assert found[0].others > 0.2
    # The same on all rows, as good learners are, but not on subsamples.
    estimates["same"] = {50: others}
    assert near_duplicates(Learned.of(graphs | {"other": noisy(rng, 0.3)}, estimates)) == [
        row for row in found if row.left == "same"
    ]


def rows_of(values: dict[str, list[int | None]], size: int = 100) -> list[IntervalScore]:
    return [
        IntervalScore(name, size, t + 1, phd=value)
        for name, some in values.items()
        for t, value in enumerate(some)
    ]


def test_means_standard_errors_and_ranks_by_hand() -> None:
    rows = rows_of({"a": [1, 2, 3], "b": [3, 2, 1], "c": [4, 4, None], "d": [None, None, 0]})
    means = {row.learner: row for row in summarise(rows)}
    # The last subsample has no graph of c; d has too few to be ranked.
    assert (means["a"].n, means["a"].mean, means["a"].se) == (2, 1.5, pytest.approx(0.5))
    assert (means["b"].mean, means["c"].mean, means["c"].failures) == (2.5, 4, 1)
    assert (means["d"].n, means["d"].mean, means["d"].se, means["d"].failures) == (1, 0, None, 2)
    # Ranks are within subsamples, equal distances share them, and a failure is last.
    ranks = [1 + 1.5 + 3, 2 + 1.5 + 2, 3 + 3 + 4, 4 + 4 + 1]
    assert [3 * means[name].mean_rank for name in "abcd"] == pytest.approx(ranks)
    assert [means[name].rank for name in "abcd"] == [1, 1, 3, None]
    more = [*rows, *rows_of({"a": [5, 5], "b": [1, 1], "c": [5, 5], "d": [9, 9]}, size=200)]
    # A subsample number is one unit over all sizes: a has (1 + 2.5) / 2, (1.5 + 2.5) / 2 and 3.
    places = ranking(more)
    assert [(row.learner, row.place) for row in places] == [
        ("b", 1),
        ("a", 2),
        ("c", 3),
        ("d", None),
    ]
    assert [row.mean_rank for row in places] == pytest.approx([4.75 / 3, 2.25, 9.5 / 3, 3])
    better = [row._replace(adjacency_f1=row.phd) for row in rows_of({"a": [0, 0], "b": [1, 1]})]
    assert [row.rank for row in summarise(better, "adjacency_f1")] == [2, 1]
    with pytest.raises(DagathlonError, match="did you mean 'phd'"):
        summarise(rows, "phdd")


def test_tests_are_those_of_scipy() -> None:
    rng = np.random.default_rng(4)
    values = {name: rng.integers(k, 8, 9).tolist() for k, name in enumerate("abcd")}
    (test,) = rank_tests(rows_of(values))
    expected = stats.friedmanchisquare(*values.values())
    assert test.friedman.statistic == pytest.approx(expected.statistic)
    assert test.friedman.p_value == pytest.approx(expected.pvalue)
    found = dict(zip(test.nemenyi.names, test.nemenyi.averages, strict=True))
    ranks = stats.rankdata(np.array([*values.values()]), axis=0).mean(axis=1)
    assert [found[name] for name in "abcd"] == pytest.approx(ranks.tolist())
    # Over several sizes a block is still a subsample.
    twice = rank_tests([*rows_of(values), *rows_of(values, size=200)])
    assert [one.size for one in twice] == [100, 200, None]
    assert twice[2].friedman == test.friedman
    # What is shown as mean rank is what is tested.
    shown = [(row.learner, row.mean_rank) for row in ranking(rows_of(values))]
    assert shown == list(zip(test.nemenyi.names, test.nemenyi.averages, strict=True))
    assert rank_tests(rows_of({"a": [1, 2, 3, 4], "b": [2, 2, 2, 2]})) == []


def test_every_two_learners_have_an_agreement_of_their_own() -> None:
    graphs, estimates = study(seed=5, failing=0.1)
    rows = pairwise(Learned.of(graphs, estimates))
    everyone = agreement_graph(graphs.values())
    assert len(rows) == 12
    for row in rows:
        own = agreement_graph([graphs[row.left], graphs[row.right]])
        runs = zip(estimates[row.left][row.size], estimates[row.right][row.size], strict=True)
        both = [(a, b) for a, b in runs if a is not None and b is not None]
        far = np.array([[partial_hamming_distance(g, own) for g in pair] for pair in both])
        gap = far[:, 0] - far[:, 1]
        assert (row.n, row.n_connected) == (len(both), own.n_connected)
        assert (row.mean_left, row.mean_right) == pytest.approx(tuple(far.mean(axis=0)))
        assert (row.difference, row.se) == pytest.approx((gap.mean(), stats.sem(gap)))
        assert (row.wins, row.losses, row.ties) == tuple(
            int(some.sum()) for some in (gap < 0, gap > 0, gap == 0)
        )
        shared = [
            partial_hamming_distance(a, everyone) - partial_hamming_distance(b, everyone)
            for a, b in both
        ]
        assert row.shared_difference == pytest.approx(np.mean(shared))
        if len(both) >= 5:
            assert row.p_value <= row.adjusted <= 1
        else:
            assert row.p_value is row.adjusted is None


def test_weights_are_shares_of_bootstrap_graphs() -> None:
    graphs, estimates = study(seed=2)
    learned = Learned.of(graphs, estimates)
    plain = interval_scores(learned, np.ones((8, 8)))
    assert all(row.weighted_phd == row.phd for row in plain)
    rng = np.random.default_rng(9)
    copies = {name: [noisy(rng, 0.3) for _ in range(5)] for name in "ab"}
    least, mean = (confidence_weights(learned, copies, how) for how in ("min", "mean"))
    agreement = learned.agreement
    for i, j in combinations(range(8), 2):
        pair = agreement.names[i], agreement.names[j]
        kind = agreement.type_of(*pair)
        shares = [
            np.mean([PartialGraph.of(graph).type_of(*pair) == kind for graph in copies[name]])
            for name in "ab"
        ]
        assert least[i, j] == least[j, i] == pytest.approx(0 if kind is None else min(shares))
        assert mean[i, j] == pytest.approx(0 if kind is None else np.mean(shares))
    row = interval_scores(learned, mean)[3]
    graph = estimates[row.learner][row.size][row.subsample - 1]
    assert row.weighted_phd == pytest.approx(partial_hamming_distance(graph, agreement, mean))
    with pytest.raises(GraphError, match="need graphs on bootstrap samples"):
        confidence_weights(learned, {})


def test_the_result_can_be_stored_and_read() -> None:
    graphs, estimates = study(seed=8, failing=0.1)
    graphs |= {"empty": Graph(NODES), "lost": None}
    estimates |= {"empty": {100: [Graph(NODES)] * 6, 200: [None] * 6}}
    copies = {name: [TRUE, TRUE] for name in "abcd"}
    found = interval_validation(graphs, estimates, bootstraps=copies, rows=400, notes=["First."])
    assert IntervalResult.from_json(found.to_json()) == found
    assert found.learners == ("a", "b", "c", "d", "empty")
    assert len(found.disputed) == 28 - found.forecast.n_pairs
    assert all(len(set(pair.said)) > 1 and len(pair.said) == 5 for pair in found.disputed)
    text = found.summary()
    first, second = text.split("\nForecast")[0], "Forecast" + text.split("\nForecast")[1]
    assert first.startswith("Agreement of 5 learners: 0 pairs that all join in the same way, of ")
    assert second.startswith("Forecast: not reliable. Do not rely on this ranking")
    told = " ".join(text.split())
    for words in (
        "First.",
        "lost has no graph on all rows and takes no part.",
        "empty disagrees with the others on every edge",
        "empty finds no edge on all rows",
        "empty has no place: with 200 rows",
        "p-values are too small rather than too large",
    ):
        assert words in told
    assert "not reliable" in repr(found)
    assert found._repr_html_().startswith("<pre>Agreement of 5")


def test_two_equal_learners_and_nothing_else() -> None:
    found = interval_validation({"a": TRUE, "b": TRUE}, {})
    assert (found.means, found.tests, found.pairwise, found.sizes) == ((), (), (), ())
    assert found.forecast.verdict == "good"
    assert found.forecast.relative_size == 1
    assert found.notes == (
        "All learners (a and b) give almost the same graphs, be it that the data leave no doubt or "
        "that the learners are alike: there is little to rank them by.",
    )
    assert "But mind the notes below." in found.summary()
    turned = Graph.from_edges([(b, a) for a, b in ARCS], names=NODES)
    notes = interval_validation({"a": TRUE, "b": TRUE, "c": turned}, {}).notes
    assert any(note.startswith("a and b give almost the same graphs") for note in notes)
    full = Graph.from_edges(list(combinations(NODES, 2)))
    notes = interval_validation({"a": TRUE, "b": full, "c": full}, {}).notes
    assert "b and c join all pairs on all rows: no missing edge can be agreed on." in notes
    assert interval_validation({"a": TRUE, "b": TRUE}, {"a": {100: []}}).means == ()
    with pytest.raises(DagathlonError, match=r"two learners or more .* found a, and none of b"):
        interval_validation({"a": TRUE, "b": None}, {})


def test_words_on_who_can_be_told_apart() -> None:
    def told(values: dict[str, list[int | None]]) -> str:
        found = interval_validation({"a": TRUE, "b": TRUE, "c": TRUE}, {})
        stored = replace(found, tests=tuple(rank_tests(rows_of(values))))
        return " ".join(stored.summary().split())

    rising = {"a": [0] * 20, "b": [1] * 20, "c": [2] * 20}
    assert "All learners can be told apart" in told(rising)
    assert "told apart: a and b; nor b and c. Others" in told({k: v[:6] for k, v in rising.items()})
    assert (
        "They differ, but it cannot be said which two: no mean ranks differ by more than"
        in told({"a": [0] * 5, "b": [0] * 5, "c": [1, 1, 1, 1, 0]})
    )
    assert "The two differ." in told({"a": [0] * 6, "b": [1] * 6})
    same = told({"a": [0, 1] * 4, "b": [1, 0] * 4, "c": [0, 1] * 4})
    assert "p = 1. No two learners can be told apart. Subsamples" in same


def test_other_distances_rank_too() -> None:
    graphs, estimates = study(seed=1)
    estimates["b"] = {size: [TRUE] * 6 for size in (100, 200)}
    found = interval_validation(graphs | {"b": TRUE, "d": TRUE}, estimates)
    assert found.measures[0] == "phd"
    assert "weighted_phd" not in found.measures
    assert {row.learner: row.rank for row in found.means_by("adjacency_f1")}["b"] == 1
    told = " ".join(found.summary().split())
    assert "First by other distances: b by F1 of adjacencies; b by F1 of arrowheads; b by" in told


def test_agreement_on_missing_edges_is_told_from_agreement_on_edges() -> None:
    names = [f"X{i}" for i in range(30)]
    shared = [f"X{i} -> X{i + 10}" for i in range(5)]
    graphs = {
        name: Graph.from_edges([*shared, *(f"X{i} -> X{i + 9 - k}" for i in range(10, 20))], names)
        for k, name in enumerate("ab")
    }
    found = interval_validation(graphs, {})
    assert found.forecast.verdict == "good"
    assert (found.forecast.n_joined, found.forecast.edge_share) == (25, 0.2)
    assert "Of the 25 pairs that any learner joins all agree on 5 only (20.0 %)" in found.notes[0]


def test_who_found_nothing_but_the_agreement_is_named() -> None:
    sparse = Graph.from_edges(ARCS[:-2], names=NODES)
    notes = interval_validation({"a": TRUE, "sparse": sparse, "c": TRUE}, {}).notes
    n = agreement_graph([TRUE, sparse]).n_connected
    assert n == sparse.n_edges
    assert any(
        f"sparse found next to nothing but the edges that all have ({n})" in note
        and "in favour of it;" in note
        for note in notes
    )
    assert not any(
        "in favour" in note for note in interval_validation({"a": TRUE, "b": TRUE}, {}).notes
    )


def test_nodes_and_kinds_must_fit() -> None:
    other = Graph.from_edges(["X -> V0"])
    with pytest.raises(GraphError, match=r"the graphs of a and of b .* X"):
        Learned.of({"a": TRUE, "b": other})
    with pytest.raises(GraphError, match="the graphs of a and of b"):
        Learned.of({"a": TRUE, "b": TRUE}, {"b": {10: [None, other]}})
    with pytest.raises(DagathlonError, match="no graph on all rows of these learners: c"):
        Learned.of({"a": TRUE}, {"c": {}})
    circles = Graph.from_edges(["V0 o-> V1"], names=NODES)
    assert Learned.of({"a": TRUE, "b": Graph(NODES)}, {"b": {10: [circles]}}).by == "arrowheads"
    assert Learned.of({"a": TRUE, "b": TRUE}, outputs={"b": "undirected"}).by == "skeletons"
    lines = interval_validation({"a": TRUE, "b": TRUE}, {}, outputs={"b": "undirected"})
    assert (lines.language, lines.n_effects) == ("skeletons", None)
    mixed = interval_validation({"a": TRUE, "b": circles}, {}, outputs={"b": "pag"})
    assert (mixed.language, mixed.n_effects) == ("arrowheads", None)
    assert "by their arrowheads alone" in " ".join(mixed.summary().split())
