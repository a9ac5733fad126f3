"""What the noise paper of 2021 concludes, as functions of its tables: for compare_noise_2021.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.stats import spearmanr

from dagathlon.evaluate.noise_runs import NoiseStudyTables

Row: TypeAlias = dict[str, Any]
METRICS = ("f1", "shd", "bsf")
_BALANCED = ("f1", "bsf")
_SCORE_BASED = ("fges", "hc", "ilp", "tabu", "winasobs")
_CONSTRAINT_BASED = ("fci", "gs", "inter-iamb", "pc-stable")
_LATENT = ("fci", "gfci", "rfci-bsc")
_POOR = {"gs", "inter-iamb", "notears", "rfci-bsc"}
_NEVER_FAILED = ("gs", "hc", "inter-iamb", "notears", "tabu")
_MANY_EDGES = ("hc", "ilp", "saiyanh", "tabu", "winasobs")
_FEW_EDGES = ("gs", "mmhc")
_ENDS = ("change_low", "change", "change_high")
# Losses that differ by less than this count as the paper's: its scores are printed with two digits.
_NEAR = 0.02


class Answer(NamedTuple):
    """What became of a conclusion.

    Parameters
    ----------
    here
        Our numbers, in words.
    holds
        Whether it holds: yes, no, or open, where our interval leaves room for it; None where it
        cannot be said.
    same_cells
        The paper's numbers on the networks and sizes of our run, where they are printed.
    """

    here: str
    holds: bool | Literal["open"] | None
    same_cells: str = ""


class Claim(NamedTuple):
    """Something that the paper concludes."""

    what: str
    paper: str
    answer: Callable[[Both], Answer]

    def row(self, both: Both) -> Row:
        """A line of the table."""
        try:
            found = self.answer(both)
        except (KeyError, IndexError, ValueError, ZeroDivisionError):
            found = Answer("not in this run", None)
        holds = {True: "yes", False: "no", None: "", "open": "open"}[found.holds]
        return {
            "conclusion": self.what,
            "paper": self.paper,
            "paper, same networks and sizes": found.same_cells,
            "here": found.here,
            "holds": holds,
        }


@dataclass(frozen=True)
class Both:
    """Our tables and the paper's.

    Parameters
    ----------
    tables
        Of our runs.
    theirs
        Of the paper's printed scores, on the networks and sizes of our run.
    printed
        All printed numbers.
    cells
        Networks and sizes of our run that the paper has.
    """

    tables: NoiseStudyTables
    theirs: NoiseStudyTables
    printed: Mapping[str, Any]
    cells: Sequence[tuple[str, int]]

    @property
    def is_part(self) -> bool:
        """Whether networks or sizes of the paper are missing here."""
        return len(self.cells) < len(self.printed["networks"]) * len(self.printed["sizes"])

    @cached_property
    def ranks(self) -> dict[tuple[bool, str, str], Row]:
        """Rows of Tables 8 (False) and 9 (True), by metric and algorithm."""
        return {
            (noisy, row["metric"], row["algorithm"]): row
            for noisy in (False, True)
            for row in self.tables.ranks(noisy=noisy)
        }

    @cached_property
    def losses(self) -> dict[tuple[str, str], Row]:
        """Change of accuracy by code and metric."""
        return {(row["code"], row["metric"]): row for row in self.tables.loss_by_code()}

    @cached_property
    def kept(self) -> dict[tuple[str, str], Row]:
        """Accuracy kept by code and algorithm."""
        return {(row["code"], row["algorithm"]): row for row in self.tables.kept_by_code()}

    def places(self, metric: str, *, noisy: bool) -> dict[str, float]:
        """Overall ranks by algorithm."""
        found = {name: row for (n, m, name), row in self.ranks.items() if (n, m) == (noisy, metric)}
        if not found:
            raise KeyError(metric)
        return {name: float(row["overall"]) for name, row in found.items()}

    def average(self, metric: str, names: Iterable[str], *, noisy: bool) -> float:
        """Mean of the average ranks of some algorithms."""
        return _mean(self.ranks[noisy, metric, name]["average"] for name in names)

    def printed_change(self, code: str, metric: str) -> float | None:
        """Mean of Table E4 over the networks and sizes of our run, as a share."""
        table, sizes = self.printed["change"][code][metric], self.printed["sizes"]
        values = [table[network][sizes.index(n)] for network, n in self.cells]
        known = [value for value in values if isinstance(value, int | float)]
        return _mean(known) / 100 if known else None


def short(value: float) -> str:
    """Two digits behind the point, without a zero before it: .93, −.12, 5.25."""
    text = f"{abs(value):.2f}"
    text = text[1:] if text.startswith("0") else text
    return ("\u2212" if value < 0 and text.strip(".0") else "") + text


def _mean(values: Iterable[float | None]) -> float:
    known = _known(values)
    if not known:
        raise ValueError
    return float(np.mean(known))


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:+.0f} %".replace("-", "\u2212")


def _with_interval(row: Row, name: str, told: Callable[[float | None], str] = _percent) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    between = f" ({told(low)} to {told(high)})" if low is not None and high is not None else ""
    return f"{told(row[name])}{between}"


def _agreement(left: str, right: str, ranks: Mapping[str, Mapping[str, Any]]) -> float:
    names = [name for name in ranks[left] if name in ranks[right]]
    both = [[ranks[m][name] for name in names] for m in (left, right)]
    return float(spearmanr(*both).statistic)


def _metrics_agree(both: Both) -> Answer:
    ours = {m: both.places(m, noisy=False) for m in METRICS}
    printed = {m: {k: v[1] for k, v in both.printed["ranks"]["clean"][m].items()} for m in METRICS}
    f1_bsf, f1_shd = (_agreement("f1", other, ours) for other in ("bsf", "shd"))
    theirs = [_agreement("f1", other, printed) for other in ("bsf", "shd")]
    return Answer(
        f"F1 with BSF {short(f1_bsf)}, with SHD {short(f1_shd)}",
        f1_bsf > f1_shd,
        f"all: {short(theirs[0])} and {short(theirs[1])}",
    )


def _placed(
    name: str, best: float, metrics: Sequence[str] = METRICS, *, noisy: bool
) -> Callable[[Both], Answer]:
    """Whether an algorithm is among the first so many, by each metric."""

    def answer(both: Both) -> Answer:
        rows = {m: both.ranks[noisy, m, name] for m in metrics}
        told = [f"{m.upper()} {_place(row)}" for m, row in rows.items()]
        theirs = ""
        if not noisy:
            same = {(r["metric"], r["algorithm"]): r for r in both.theirs.ranks()}
            found = [(m, same.get((m, name))) for m in metrics]
            theirs = ", ".join(f"{m.upper()} {r['overall']:.0f}" for m, r in found if r)
        return Answer(", ".join(told), _within(rows.values(), best), theirs)

    return answer


def _within(rows: Iterable[Row], best: float) -> bool | Literal["open"]:
    """Whether places are at most the best one, or could be by their intervals."""
    rows = list(rows)
    if all(row["overall"] <= best for row in rows):
        return True
    could = [row["overall"] if row["overall_low"] is None else row["overall_low"] for row in rows]
    return "open" if all(low <= best for low in could) else False


def _place(row: Row) -> str:
    low, high = row["overall_low"], row["overall_high"]
    between = f" ({low:.0f} to {high:.0f})" if low is not None and high is not None else ""
    return f"{row['overall']:.0f}{between}"


def _tabu_against_hc(both: Both) -> Answer:
    told, lost = [], []
    for metric in METRICS:
        clean, loud = (
            both.average(metric, ["tabu"], noisy=noisy) - both.average(metric, ["hc"], noisy=noisy)
            for noisy in (False, True)
        )
        told.append(f"{metric.upper()} {short(clean)} to {short(loud)}")
        lost.append(loud > clean)
    return Answer(f"average rank of TABU less HC's: {', '.join(told)}", all(lost))


def _changes_most(name: str, sign: int) -> Callable[[Both], Answer]:
    """Whether an algorithm is among the three whose ranks noise raises (1) or lowers (−1) most."""

    def answer(both: Both) -> Answer:
        told, among = [], []
        for metric in METRICS:
            rows = {a: r["change"] for (n, m, a), r in both.ranks.items() if n and m == metric}
            changes = {a: sign * change for a, change in rows.items() if change is not None}
            place = 1 + sum(change > changes[name] for change in changes.values())
            told.append(f"{metric.upper()} {_signed(rows[name])} (place {place})")
            among.append(changes[name] > 0 and place <= 3)
        return Answer(", ".join(told), all(among))

    return answer


def _signed(value: float) -> str:
    return short(value) if value < 0 else f"+{short(value)}"


def _score_ahead(both: Both) -> Answer:
    told, ahead = [], []
    for noisy in (False, True):
        pairs = [
            (
                both.average(m, _SCORE_BASED, noisy=noisy),
                both.average(m, _CONSTRAINT_BASED, noisy=noisy),
            )
            for m in _BALANCED
        ]
        ahead += [score < constraint for score, constraint in pairs]
        words = [f"{short(score)} against {short(constraint)}" for score, constraint in pairs]
        told.append(f"{'with' if noisy else 'without'} noise {' and '.join(words)}")
    return Answer(f"mean of average ranks (F1 and BSF): {'; '.join(told)}", all(ahead))


def _last_four(both: Both) -> Answer:
    places = both.places("f1", noisy=True)
    last = sorted(places, key=places.__getitem__)[-4:]
    return Answer(f"last four by F1 with noise: {', '.join(last)}", set(last) == _POOR)


def _no_gain_by_latent(both: Both) -> Answer:
    rows = [r for r in both.tables.ranks_by_code() if "L" in r["code"] and r["metric"] == "f1"]
    told, gains = [], []
    for name in _LATENT:
        change = _mean(
            r["change"] for r in rows if r["algorithm"] == name and r["change"] is not None
        )
        told.append(f"{name} {_signed(change)}")
        gains.append(change > 0)
    return Answer(
        f"change of average rank by F1 where L is at work: {', '.join(told)}", not any(gains)
    )


def _loss(codes: Sequence[str], low: float, high: float) -> Callable[[Both], Answer]:
    """Whether the accuracy lost is that of the paper: of a part of the study, that on the part."""

    def answer(both: Both) -> Answer:
        rows = [
            (c, m, both.losses[c, m]) for c in codes for m in _BALANCED if (c, m) in both.losses
        ]
        if not rows:
            raise KeyError(codes)
        theirs = {(c, m): both.printed_change(c, m) for c, m, _ in rows}
        told = [f"{c} {m.upper()} {_with_interval(row, 'change')}" for c, m, row in rows]
        same = [f"{c} {m.upper()} {_percent(value)}" for (c, m), value in theirs.items()]
        if both.is_part:
            low_, high_ = (-f(_known(theirs.values())) for f in (max, min))
        else:
            low_, high_ = low, high
        alike = [_meets(row, low_ - _NEAR, high_ + _NEAR) for _, _, row in rows]
        return Answer(", ".join(told), all(alike), ", ".join(same))

    return answer


def _meets(row: Row, low: float, high: float) -> bool:
    """Whether a loss, or its interval, meets a range."""
    ends = _known(row[name] for name in _ENDS)
    return bool(-min(ends) >= low and -max(ends) <= high)


def _states_and_latent_matter_less(both: Both) -> Answer:
    losses = {
        c: _mean(both.losses[c, m]["change"] for m in _BALANCED) for c in ("M5", "I5", "S5", "L5")
    }
    theirs = {c: _mean(_known(both.printed_change(c, m) for m in _BALANCED)) for c in losses}
    holds = min(losses["S5"], losses["L5"]) > max(losses["M5"], losses["I5"])
    return Answer(_by_code(losses), holds, _by_code(theirs))


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _by_code(values: Mapping[str, float]) -> str:
    return ", ".join(f"{code} {_percent(value)}" for code, value in values.items())


def _incorrect_is_worse(both: Both) -> Answer:
    pairs = {
        c: _mean(both.losses[c, m]["change"] for m in _BALANCED)
        for c in ("M5", "I5", "M10", "I10")
        if (c, "f1") in both.losses
    }
    theirs = {c: _mean(_known(both.printed_change(c, m) for m in _BALANCED)) for c in pairs}
    rates = [rate for rate in ("5", "10") if f"M{rate}" in pairs and f"I{rate}" in pairs]
    holds = all(pairs[f"I{rate}"] < pairs[f"M{rate}"] for rate in rates) if rates else None
    return Answer(_by_code(pairs), holds, _by_code(theirs))


def _not_cumulative(both: Both) -> Answer:
    alone = {
        c: _mean(both.losses[c, m]["change"] for m in _BALANCED) for c in ("M5", "I5", "S5", "L5")
    }
    together = _mean(both.losses["cMISL", m]["change"] for m in _BALANCED)
    told = f"cMISL {_percent(together)}, its parts together {_percent(sum(alone.values()))}"
    return Answer(told, together > sum(alone.values()))


def _most_resilient(both: Both) -> Answer:
    rows = {a: row["score_kept"] for (code, a), row in both.kept.items() if code == "cMISL"}
    rows = {a: kept for a, kept in rows.items() if kept is not None}
    order = sorted(rows, key=rows.__getitem__, reverse=True)
    told = ", ".join(f"{name} {rows[name]:.0%}" for name in order[:5])
    holds = order.index("h2pc") < 5 and order.index("mmhc") < 5
    return Answer(f"accuracy kept with cMISL: {told}", holds)


def _edges(both: Both) -> Answer:
    rows = {row["code"]: row for row in both.tables.edges_by_code()}
    others = _mean(row["ratio"] for code, row in rows.items() if code != "cMISL")
    told = f"cMISL {_with_interval(rows['cMISL'], 'ratio', _ratio)}, the others {_ratio(others)}"
    return Answer(told, rows["cMISL"]["ratio"] < 1 < others)


def _ratio(value: float | None) -> str:
    return _percent(None if value is None else value - 1)


def _slower(both: Both) -> Answer:
    rows = {row["code"]: row for row in both.tables.time_by_code()}
    told = [f"{c} {_ratio(row['ratio'])}" for c, row in rows.items()]
    return Answer(", ".join(told), rows["cMISL"]["ratio"] > 1)


def _fit(both: Both) -> Answer:
    rows = both.tables.edges_by_density()
    means = {}
    for name in dict.fromkeys(row["algorithm"] for row in rows):
        own = [r["ratio"] for r in rows if r["algorithm"] == name and r["ratio"] is not None]
        if own:
            means[name] = _mean(own)
    order = sorted(means, key=means.__getitem__)
    told = ", ".join(f"{name} {short(means[name])}" for name in order)
    few = max(order.index(name) for name in _FEW_EDGES)
    many = min(order.index(name) for name in _MANY_EDGES)
    return Answer(f"learned over true edges: {told}", few < many)


def _pathfinder_is_hardest(both: Both) -> Answer:
    rows = [row for row in both.tables.scores() if row["f1"] is not None]
    networks = dict.fromkeys(row["network"] for row in rows)
    means = {name: _mean(r["f1"] for r in rows if r["network"] == name) for name in networks}
    told = ", ".join(f"{name} {short(value)}" for name, value in means.items())
    return Answer(f"mean F1: {told}", means["pathfinder"] == min(means.values()))


def _more_rows_help(both: Both) -> Answer:
    rows = [row for row in both.tables.scores() if row["f1"] is not None]
    sizes = sorted({row["n"] for row in rows})
    means = [_mean(r["f1"] for r in rows if r["n"] == n) for n in sizes]
    told = ", ".join(f"{n:,} rows {short(mean)}" for n, mean in zip(sizes, means, strict=True))
    return Answer(f"mean F1: {told}", means == sorted(means) if len(means) > 1 else None)


def _failures(both: Both) -> Answer:
    counts: dict[str, int] = {}
    for row in both.tables.failures():
        counts[row["algorithm"]] = (
            counts.get(row["algorithm"], 0) + row["F1"] + row["F2"] + row["F3"]
        )
    some = {name: n for name, n in counts.items() if n}
    told = ", ".join(f"{name} {n}" for name, n in some.items()) or "none failed"
    return Answer(told, not any(counts.get(name) for name in _NEVER_FAILED))


CLAIMS = (
    Claim(
        "F1 and BSF order algorithms alike, SHD does not",
        "ranks differ by at most one",
        _metrics_agree,
    ),
    Claim("TABU is first without noise", "1st by all three", _placed("tabu", 1, noisy=False)),
    Claim("HC is second without noise", "2nd by all three", _placed("hc", 2, noisy=False)),
    Claim("HC is first with noise", "1st by F1 and BSF", _placed("hc", 1, _BALANCED, noisy=True)),
    Claim("noise takes TABU's lead over HC", "−.36 to .02 by F1", _tabu_against_hc),
    Claim(
        "ILP is third without noise", "3rd by F1 and BSF", _placed("ilp", 3, _BALANCED, noisy=False)
    ),
    Claim("ILP is third with noise", "3rd by F1 and BSF", _placed("ilp", 3, _BALANCED, noisy=True)),
    Claim(
        "SaiyanH is the best hybrid learner",
        "4th by F1 and BSF",
        _placed("saiyanh", 4, _BALANCED, noisy=False),
    ),
    Claim(
        "MMHC gains most by noise, by all metrics", "+1.26, +1.81, +1.01", _changes_most("mmhc", 1)
    ),
    Claim("FCI loses most by noise", "−.97, −2.11, −.56", _changes_most("fci", -1)),
    Claim("score-based ahead of constraint-based", "yes", _score_ahead),
    Claim("Inter-IAMB, GS, RFCI-BSC and NOTEARS are last", "yes", _last_four),
    Claim(
        "learners of latent variables gain nothing by L",
        "no evidence of a gain",
        _no_gain_by_latent,
    ),
    Claim("loss by missing values", "13 to 18 %", _loss(("M5", "M10"), 0.13, 0.18)),
    Claim("loss by incorrect values", "18 to 28 %", _loss(("I5", "I10"), 0.18, 0.28)),
    Claim("loss by both", "26 to 30 %", _loss(("cMI",), 0.26, 0.30)),
    Claim("loss by all four", "30 to 37 %", _loss(("cMISL",), 0.30, 0.37)),
    Claim(
        "merged states and latent variables matter little", "minor", _states_and_latent_matter_less
    ),
    Claim("incorrect values are worse than missing ones", "yes", _incorrect_is_worse),
    Claim("kinds of noise do not add up", "yes", _not_cumulative),
    Claim("H2PC and MMHC are the most resilient", "100 % and 92 % in Table 12", _most_resilient),
    Claim("fewer edges with cMISL, more with other noise", "−11 %, +2 % over all noise", _edges),
    Claim("cMISL takes longer", "+26 %", _slower),
    Claim(
        "GS and MMHC have too few edges, five learners slightly too many",
        "HC, ILP, SaiyanH, TABU, WINASOBS",
        _fit,
    ),
    Claim("Pathfinder is the hardest", "yes", _pathfinder_is_hardest),
    Claim("accuracy grows with the rows", "generally", _more_rows_help),
    Claim("GS, HC, Inter-IAMB, NOTEARS and TABU never fail", "no failure", _failures),
)
