"""Which noise a file has: by hand, against scipy, and how often it is right on simulated data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dagathlon.cli import main
from dagathlon.data import Dataset, Network
from dagathlon.data.inspection import describe
from dagathlon.data.inspection.certainty import certainties, proportion
from dagathlon.data.inspection.gap_relations import gap_relations, silent_states
from dagathlon.data.inspection.misrecorded import misrecorded
from dagathlon.data.inspection.noise import NoiseFinding, noise_findings
from dagathlon.data.inspection.noise_sample import NoiseSample, SampledColumn
from dagathlon.simulate.noise import Noise

ROWS = 2000
RANDOM = np.random.default_rng(5)
BITS = RANDOM.integers(0, 2, ROWS)


def column(name: str, codes: Any, arity: int = 2) -> SampledColumn:
    return SampledColumn(name, np.asarray(codes), arity, tuple("abcdef"[:arity]), {}, 0)


def flipped(rate: float, seed: int) -> Any:
    wrong = np.random.default_rng(seed).random(ROWS) < rate
    return np.where(wrong, 1 - BITS, BITS)


def sampled(data: Dataset) -> NoiseSample:
    """Columns with labels that say nothing."""
    sample = NoiseSample(len(data))
    for j, variable in enumerate(data.variables):
        codes = data.codes[:, j].astype(np.int64)
        codes[codes >= variable.arity] = -1
        labels = tuple(map(str, range(variable.arity)))
        gaps = int((codes < 0).sum())
        sample.columns.append(SampledColumn(variable.name, codes, variable.arity, labels, {}, gaps))
    return sample


def looked(network: str, code: str, seed: int, rows: int = 10_000) -> dict[str, NoiseFinding]:
    rng = np.random.Generator(np.random.Philox(key=100 + seed))
    data = Noise.from_code(code).apply(Network.load(network).sample(rows, seed), rng)
    return {one.kind: one for one in noise_findings(sampled(data), ())}


def test_contradictions_are_counted() -> None:
    other = BITS.copy()
    other[:30] = 1 - other[:30]
    first, second = certainties(np.column_stack([BITS, other]), [2, 2])
    assert (first.by, second.by) == ((1,), (0,))
    assert second.rows <= ROWS
    # Rows are taken where fewest differ: both values of the other column, or one of them.
    share = [np.mean(other[bit == BITS] != bit) for bit in (0, 1)]
    assert min(*share, 30 / ROWS) - 1e-12 <= second.rate <= max(share)
    low, high = stats.binomtest(second.different, second.rows).proportion_ci(method="exact")
    assert (second.low, second.high) == pytest.approx((low, high))
    assert proportion(0, 0) == (0.0, 1.0)
    assert proportion(5, 5)[1] == 1.0


def test_columns_that_say_the_same_show_wrong_values() -> None:
    clean = [column(f"c{j}", BITS) for j in range(8)]
    found = misrecorded(clean)
    assert found is not None
    assert (found.verdict, found.rate) == ("hardly any", None)
    assert found.at_most < 0.005
    turned = np.random.default_rng(8).permutation(ROWS)
    about_two = [flipped(0.06, j)[turned if j % 2 else slice(None)] for j in range(8)]
    noisy = misrecorded([column(f"c{j}", codes) for j, codes in enumerate(about_two)])
    assert noisy is not None
    assert noisy.verdict == "probably"
    assert noisy.low is not None
    assert noisy.low <= 0.06 <= noisy.at_most
    few = misrecorded([column(f"c{j}", flipped(0.06, j)) for j in range(3)])
    assert few is not None
    assert few.verdict == "possibly"


def test_a_single_slip_is_named_with_its_row() -> None:
    slip = BITS.copy()
    slip[17] = 1 - slip[17]
    sample = NoiseSample(ROWS)
    sample.columns += [column("a", BITS), column("b", slip), column("c", flipped(0.3, 1))]
    wrong = noise_findings(sample, ())[1]
    assert wrong.verdict == "hardly any"
    assert {cell["row"] for cell in wrong.cells} == {18}
    assert wrong.cells[0]["alike"] == 1
    assert "most surprising: row 18" in wrong.text
    assert wrong.to_json()["cells"][0]["given"] in ({"a": "ab"[BITS[17]]}, {"b": "ab"[slip[17]]})
    sample.columns[1] = column("b", BITS)
    assert not noise_findings(sample, ())[1].cells


@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_continuous_values_have_a_bound(rate: float) -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(size=ROWS)
    sample = NoiseSample(ROWS)
    for j in range(5):
        values = base + 0.05 * rng.normal(size=ROWS)
        wrong = rng.random(ROWS) < rate
        values[wrong] = rng.permutation(values)[wrong]
        thirds = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values)
        sample.columns.append(SampledColumn(f"x{j}", thirds, 3, (), {}, 0))
    found = noise_findings(sample, ())[1]
    assert found.rate is None
    assert found.at_most is not None
    assert rate <= found.at_most < rate + 0.05


@pytest.mark.parametrize(
    ("chance", "n_columns"), [(0.5, 6), (0.5, 8), (0.5, 12), (0.1, 8), (0.05, 8)]
)
def test_what_is_random_by_nature_cannot_be_told(chance: float, n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    found = misrecorded(
        [column(f"c{j}", (rng.random(ROWS) < chance).astype(int)) for j in range(n_columns)]
    )
    assert found is not None
    assert (found.verdict, found.rate) == ("cannot be told", None)
    assert found.at_most > 0.8 * chance


def test_too_little_to_look_at() -> None:
    assert misrecorded([column("c", BITS)]) is None
    assert misrecorded([column("a", BITS[:50]), column("b", BITS[:50])]) is None


@pytest.mark.slow
def test_many_random_columns_and_many_levels_cannot_be_told() -> None:
    rng = np.random.default_rng(3)
    labels = tuple(map(str, range(60)))
    for arity, n_columns in ((2, 40), (60, 12)):
        drawn = rng.integers(0, arity, (ROWS, n_columns))
        columns = [
            SampledColumn(f"c{j}", drawn[:, j], arity, labels, {}, 0) for j in range(n_columns)
        ]
        found = misrecorded(columns)
        assert found is not None
        assert found.verdict == "cannot be told"


@pytest.mark.parametrize(("rate", "said"), [(0.06, "possibly"), (0.25, "cannot be told")])
def test_what_follows_one_class_may_be_so_by_nature(rate: float, said: str) -> None:
    found = misrecorded([column(f"c{j}", flipped(rate, j)) for j in range(8)])
    assert found is not None
    assert found.verdict == said


def test_a_column_without_any_value_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("a,b,c\n" + "".join(f"{bit},,{bit}{row % 3}\n" for row, bit in enumerate(BITS)))
    missing = describe(path).noise[0]
    assert (missing.verdict, missing.columns) == ("some", ("b",))
    assert missing.rate == pytest.approx(1 / 3)
    assert "in 'b' (100.0%); no value at all is there" in missing.text


def test_gaps_among_very_many_levels_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    cells = (
        f"{bit},{'' if row % 4 == 0 else f'w{row % 90}'},{row % 3}" for row, bit in enumerate(BITS)
    )
    path.write_text("a,b,c\n" + "\n".join(cells) + "\n")
    missing = describe(path).noise[0]
    assert (missing.columns, missing.rate) == (("b",), pytest.approx(1 / 12))


def test_gaps_are_tested_as_scipy_tests_them() -> None:
    other = RANDOM.integers(0, 3, ROWS)
    lost = RANDOM.random(ROWS) < np.where(other == 2, 0.2, 0.05)
    columns = [column("x", np.where(lost, -1, BITS)), column("y", other, 3), column("z", BITS)]
    (found,), tests = gap_relations(columns)
    assert (found.marked.column, found.other, found.level) == ("x", "y", "c")
    assert tests == 2
    table = [[np.sum(lost & (other == k)), np.sum(~lost & (other == k))] for k in range(3)]
    assert found.p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)
    assert found.there == pytest.approx(np.mean(lost[other == 2]))
    assert found.elsewhere == pytest.approx(np.mean(lost[other != 2]))
    by_chance = np.where(RANDOM.random(ROWS) < 0.1, -1, BITS)
    assert gap_relations([column("x", by_chance), *columns[1:]]) == ([], 2)


def test_a_state_that_has_to_do_with_nothing() -> None:
    named = {
        f"c{j}": np.where(np.random.default_rng(j).random(ROWS) < 0.1, 2, flipped(0.2, j))
        for j in range(4)
    }
    columns = [column(name, codes, 3) for name, codes in named.items()]
    assert silent_states(columns) == dict.fromkeys(named, 2)
    assert silent_states([column("a", BITS), *columns[:2]]) == {}


def test_a_file_is_described(tmp_path: Path, capsys: Any) -> None:
    words = np.array(["no", "yes", "missing"])
    lines = ["a,b,c,d"]
    lost = RANDOM.random((ROWS, 4)) < 0.1
    for row, bit in enumerate(BITS):
        cells = [words[2 if lost[row, j] else bit] for j in range(3)]
        lines.append(",".join([*cells, "no+yes" if lost[row, 3] else words[bit]]))
    path = tmp_path / "file.csv"
    path.write_text("\n".join(lines) + "\n")
    missing, wrong, merged, hidden = describe(path).noise
    assert missing.rate == pytest.approx(lost[:, :3].mean() * 3 / 4)
    assert missing.columns == ("a", "b", "c")
    assert "as the state 'missing'; related to no other column" in missing.text
    assert wrong.verdict == "hardly any"
    assert "'no+yes' of 'd'" in merged.text
    assert hidden.verdict == "cannot be told"
    assert main(["describe", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["noise"][0]["rate"] == missing.rate
    assert main(["describe", str(path)]) == 0
    assert f"  missing values: {missing.text}" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("network", "least_named"), [("asia", 0), ("alarm", 6)])
def test_how_often_it_is_right(network: str, least_named: int) -> None:
    named = 0
    for seed in range(1, 5):
        for code in ("N", "M10", "L10", "M5+NA"):
            found = looked(network, code, seed)
            assert found["incorrect"].verdict == "hardly any"
            rate = {"M10": 0.1, "M5+NA": 0.05}.get(code, 0.0)
            assert found["missing"].rate == pytest.approx(rate, abs=0.025)
            assert "not completely" not in found["missing"].text
        for code, rate in (("I5", 0.05), ("I10", 0.1)):
            wrong = looked(network, code, seed)["incorrect"]
            assert wrong.at_most is not None
            assert wrong.at_most >= rate
            assert wrong.verdict != "hardly any"
            assert wrong.low is None or wrong.low <= rate
            named += wrong.low is not None
    assert named >= least_named
