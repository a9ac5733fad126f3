"""Declarations of the columns of posterior scores: titles, directions, references."""

from __future__ import annotations

from functools import partial

from dagathlon.evaluate.graphs.causal import AID_REFERENCE, SID_REFERENCE
from dagathlon.evaluate.metric import Measure

BAYESIAN = (
    "Karimi Mamaghan, Tigas, Johansson, Gal, Annadani and Bauer 2024, Challenges and "
    "considerations in the evaluation of Bayesian causal discovery, ICML",
)
_MMD = ("Gretton, Borgwardt, Rasch, Schölkopf and Smola 2012, A kernel two-sample test, JMLR 13",)
_ENTROPY = (
    "Kozachenko and Leonenko 1987, Sample estimate of the entropy of a random vector, Problemy "
    "Peredachi Informatsii 23",
)
_BRIER = (
    "Brier 1950, Verification of forecasts expressed in terms of probability, Monthly Weather "
    "Review 78",
)
_CALIBRATION = (
    "Naeini, Cooper and Hauskrecht 2015, Obtaining well calibrated probabilities using Bayesian "
    "binning, AAAI",
)
_SCORES = ("Good 1952, Rational decisions, Journal of the Royal Statistical Society B 14",)
_AREAS = (
    "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves, ICML",
)
_KISH = ("Kish 1965, Survey Sampling, Wiley",)


_measure = partial(Measure, references=BAYESIAN)


def _calibration(of: str) -> tuple[Measure, ...]:
    what = f"probabilities of {of}s"
    return (
        _measure(f"{of}_brier", f"Brier score of the {what}", "less", references=_BRIER),
        _measure(
            f"{of}_log_score", f"log score of the {what}", "less", "", "nats", references=_SCORES
        ),
        _measure(
            f"{of}_ece",
            f"expected calibration error of the {what}",
            "less",
            references=_CALIBRATION,
        ),
    )


GRAPHS = (
    _measure("e_shd", "expected structural Hamming distance", "less", "E-SHD", "edges"),
    _measure(
        "e_cpdag_shd",
        "expected structural Hamming distance of CPDAGs",
        "less",
        "E-CPDAG-SHD",
        "edges",
    ),
    _measure(
        "edge_auroc",
        "area under the ROC curve of edge probabilities",
        "more",
        "AUROC",
        references=_AREAS + BAYESIAN,
    ),
    _measure(
        "edge_auprc",
        "average precision of edge probabilities",
        "more",
        "AUPRC",
        references=_AREAS + BAYESIAN,
    ),
)
MODELS = (
    _measure("nll", "negative log-likelihood, per row", "less", "NLL", "nats"),
    _measure("i_nll", "interventional negative log-likelihood, per row", "less", "I-NLL", "nats"),
    _measure("i_kl", "interventional Kullback–Leibler divergence", "less", "I-KL", "nats"),
    _measure(
        "i_mmd",
        "interventional maximum mean discrepancy, squared",
        "less",
        "I-MMD",
        references=_MMD + BAYESIAN,
    ),
)
DISCREPANCIES = (
    _measure(
        "graph_mmd",
        "maximum mean discrepancy to the reference's graphs, squared",
        "less",
        "Graph MMD",
        references=_MMD + BAYESIAN,
        truth=False,
    ),
    _measure(
        "params_mmd",
        "maximum mean discrepancy to the reference's parameters, squared",
        "less",
        "Params MMD",
        references=_MMD + BAYESIAN,
        truth=False,
    ),
)
ENTROPIES = (
    _measure("entropy", "entropy over graphs", "", "entropy", "nats", references=(), truth=False),
    _measure(
        "entropy_kl",
        "entropy of likelihoods by nearest neighbours",
        "",
        "entropy (KL)",
        "nats",
        references=_ENTROPY + BAYESIAN,
    ),
)
DISTANCES = (
    _measure(
        "edge_error",
        "largest error of an edge probability against the reference",
        "less",
        "edge error",
        references=(),
        truth=False,
    ),
    _measure(
        "tv_exact",
        "total variation distance to the exact posterior",
        "less",
        "total variation",
        references=(),
        truth=False,
    ),
    _measure(
        "kl_exact",
        "Kullback–Leibler divergence from the exact posterior",
        "less",
        "KL to exact",
        "nats",
        references=(),
        truth=False,
    ),
)
CAUSAL = (
    _measure(
        "e_sid",
        "expected structural intervention distance",
        "less",
        "E-SID",
        "pairs",
        references=SID_REFERENCE,
    ),
    _measure(
        "e_aid",
        "expected ancestor adjustment identification distance",
        "less",
        "E-AID",
        "pairs",
        references=AID_REFERENCE,
    ),
    _measure(
        "effect_error",
        "mean error of causal effects, averaged over the posterior",
        "less",
        "effect error",
        references=BAYESIAN,
    ),
)
DRAWS = (
    _measure(
        "draws_ess",
        "effective number of draws",
        "more",
        "effective draws",
        "draws",
        references=_KISH,
        truth=False,
    ),
    _measure("n_draws", "number of draws", "", "draws", "draws", references=(), truth=False),
)
BANDWIDTHS = (
    _measure("i_mmd_bandwidth", "bandwidth of the interventional discrepancy", references=()),
    _measure(
        "params_mmd_bandwidth",
        "bandwidth of the parameters' discrepancy",
        references=(),
        truth=False,
    ),
)
MEASURES: tuple[Measure, ...] = (
    *GRAPHS,
    *MODELS,
    *DISCREPANCIES,
    *ENTROPIES,
    *_calibration("edge"),
    *_calibration("path"),
    *DISTANCES,
    *CAUSAL,
    *DRAWS,
    *BANDWIDTHS,
)
