"""The coordinator of the fault tests: a process that can be killed."""

from __future__ import annotations

import sys
from pathlib import Path

from dagathlon import Study
from dagathlon.cluster.dask_engine import DaskEngine
from dagathlon.modules import add_files
from dagathlon.study.engine.local import LocalEngine
from dagathlon.study.engine.protocol import Event, Note

LEARNER = Path(__file__).with_name("napping_learner.py")


def tell(event: Event) -> None:
    if isinstance(event, Note):
        print(event.text, flush=True)


def main(out: str, scheduler: str, seeds: str) -> None:
    add_files([LEARNER])
    picks = ["napping[milliseconds=10,40]", "hc", "pc[alpha=0.01]"]
    evaluation = {"benchmarks": {"filename_prefix": "", "ids": ["napping", "hc", "pc"]}}
    study = Study.build("faults", picks, [f"asia[n=200,seeds={seeds}]"], evaluation=evaluation)
    engine = DaskEngine(scheduler=scheduler) if scheduler else LocalEngine(2)
    done = study.run(out, engine=engine, figures="none", on_event=tell)
    sys.exit(1 if done.interrupted else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
