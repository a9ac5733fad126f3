"""Former name of `dagathlon.learners.run`, which works until 1.0."""

from __future__ import annotations

from dagathlon.renamed import renamed

__getattr__ = renamed(
    __name__,
    {
        "attempt": "dagathlon.learners.run:run_learner",
        "attempt_inside": "dagathlon.learners.run:run_inner_learner",
        "attempt_many": "dagathlon.learners.run:run_learner_on_many",
    },
)
