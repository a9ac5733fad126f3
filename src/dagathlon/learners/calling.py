"""`learn`: any learner by its name."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dagathlon.data import Dataset, facts_of, read_data
from dagathlon.errors import DataError, UnavailableError
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import find


def learn(data: Any, name: str, *, seed: int = 1, **parameters: Any) -> Estimate:
    """Learn a graph from data.

    Parameters
    ----------
    data
        A `Dataset`, or anything `read_data` takes: a file, a data frame, an array.
    name
        The learner; ``dagathlon modules`` lists them.
    seed
        Seed of the learner's random numbers.
    **parameters
        The learner's parameters; the others have their defaults.

    Returns
    -------
    Estimate
        The graph (``.graph``) and what was counted on the way (``.stats``).

    Examples
    --------
    >>> learn("measurements.csv", "corr_thresh", thresh=0.2).graph  # doctest: +SKIP
    """
    table = data if isinstance(data, Dataset) else read_data(data)
    learner = cast(Learner, find("algorithm", name).from_json(parameters, name))
    if learner.unavailable:
        raise UnavailableError(f"{name} cannot run here: {learner.unavailable}")
    problem = learner.objection(facts_of(table))
    if problem:
        raise DataError(problem)
    learner.prepare()
    return learner.learn(table, np.random.Generator(np.random.Philox(key=seed)))
