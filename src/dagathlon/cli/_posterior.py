"""Output of ``dagathlon learn`` for a posterior: edge probabilities and two files."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path

from dagathlon.cli._parts import check_folder, write_text
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.learners import Estimate, Learner
from dagathlon.learners.base import Sampler
from dagathlon.learners.bayesian.dag_sampling import DagSampler
from dagathlon.learners.undirected.undirected_sampler import UndirectedSampler
from dagathlon.posteriors.drawing import summary_line, weights_of
from dagathlon.posteriors.edge_strength import EdgeStrengths
from dagathlon.posteriors.files import check_chains, check_suffix, write_posterior
from dagathlon.posteriors.posterior import Posterior
from dagathlon.report.files import harmless


def add_posterior_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the output files of learners that return a posterior."""
    parser.add_argument(
        "--posterior",
        type=Path,
        metavar="FILE",
        help="file for the posterior of samplers, bootstrap, …: .npz, or .csv for one chain",
    )
    parser.add_argument(
        "--strengths",
        type=Path,
        metavar="FILE.csv",
        help="table of the probabilities of edges: from, to, probability, direction",
    )


def check_posterior_places(arguments: argparse.Namespace) -> None:
    """Raise when an output file cannot be written, before learning."""
    check_folder(arguments.posterior)
    check_folder(arguments.strengths)
    if arguments.posterior:
        check_suffix(arguments.posterior)


def check_posterior_form(arguments: argparse.Namespace, learner: Learner) -> None:
    """Raise when an output file cannot hold all chains, before they run."""
    if arguments.posterior and isinstance(learner, DagSampler | UndirectedSampler):
        check_chains(arguments.posterior, learner.chains)


def settled(estimate: Estimate, learner: Learner) -> Posterior | None:
    """Return the posterior after the sampler's burn-in; None without one."""
    if estimate.posterior is None or not isinstance(learner, Sampler):
        return estimate.posterior
    return estimate.posterior.after(learner.burnin_frac)


def write_posterior_files(
    arguments: argparse.Namespace, estimate: Estimate, learner: Learner
) -> None:
    """Write the requested files: all draws, and edge strengths after the burn-in.

    A learner without a posterior is a mistake of the user's.
    """
    if not (arguments.posterior or arguments.strengths):
        return
    late = settled(estimate, learner)
    if estimate.posterior is None or late is None:
        asked = "--posterior" if arguments.posterior else "--strengths"
        raise DagathlonError(
            f"{asked}: {learner.name} gives one graph and no distribution over graphs; samplers, "
            "exact_posterior, rfci_bsc and bootstrap (of any learner) do"
        )
    if arguments.posterior:
        write_posterior(estimate.posterior, arguments.posterior)
    if arguments.strengths:
        write_text(arguments.strengths, strength_table(late.strengths))


def strength_table(strengths: EdgeStrengths) -> str:
    """Return edge strengths as CSV: probabilities of adjacency and of each direction."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["from", "to", "probability", "direction"])
    for i, start in enumerate(strengths.names):
        for j, end in enumerate(strengths.names):
            if strengths.strength[i, j] > 0:
                numbers = (strengths.strength[i, j], strengths.direction[i, j])
                writer.writerow(
                    [
                        harmless(start),
                        harmless(end),
                        *(f"{float(number):.6g}" for number in numbers),
                    ]
                )
    return text.getvalue()


def edge_lines(graph: Graph, posterior: Posterior | None) -> list[str]:
    """Return the edges, each with its probability and that of adjacency."""
    if posterior is None:
        return [str(edge) for edge in graph.edges()]
    joined = weights_of(graph, posterior.strengths)
    width = max((len(str(edge)) for edge in graph.edges()), default=0)
    if _is_undirected(posterior):
        return [f"{edge!s:{width}}  {joined[edge.left, edge.right]:.3f}" for edge in graph.edges()]
    return [
        f"{edge!s:{width}}  {posterior.probability([edge]):.3f}"
        f"  {joined[edge.left, edge.right]:.3f}"
        for edge in graph.edges()
    ]


def posterior_note(posterior: Posterior) -> str:
    """Explain the numbers beside the edges."""
    if _is_undirected(posterior):
        return f"{summary_line(posterior)}; beside an edge: its probability"
    return f"{summary_line(posterior)}; beside an edge: P(edge), P(joined in any way)"


def _is_undirected(posterior: Posterior) -> bool:
    """Whether all graphs are undirected, so that adjacency and edge coincide."""
    chains = posterior.chains
    return bool(chains) and all(chain.form == "undirected" for chain in chains)


def posterior_stats(posterior: Posterior | None) -> dict[str, float | int]:
    """Return numbers of the posterior for the file of statistics."""
    known = {} if posterior is None else posterior.summary()
    return {f"posterior_{name}": value for name, value in known.items()}
