"""Keys of stores that were made before modules were renamed and moved stay valid.

`calls_of_older_stores.json` has the digests of calls with default parameters as commit 80838382
made them. A key is a hash of the call's digest, a replicate and the keys of inputs
(`tests/study/test_keys.py`).
"""

import json
from pathlib import Path

import pytest

from dagathlon.modules.lineage import lineage
from dagathlon.modules.registry import modules
from dagathlon.study.plan.scoring import call_of
from dagathlon.study.plan.task import TaskKind

RECORDED = json.loads((Path(__file__).parent / "calls_of_older_stores.json").read_text())
KINDS = {
    "graph": TaskKind.GRAPH,
    "parameters": TaskKind.PARAMETERS,
    "data": TaskKind.DATA,
    "algorithm": TaskKind.LEARN,
}


def module_of(recorded: str):
    kind, name = recorded.split()
    return modules(kind)[name].from_json({})


def is_unchanged(recorded: str) -> bool:
    """Whether neither the module nor one that it delegates to has another version since."""
    module, before = module_of(recorded), RECORDED[recorded]
    versions = sorted([*of, version] for of, version in lineage(module).items())
    return (module.version, versions) == (before["version"], before["lineage"])


@pytest.mark.parametrize("recorded", [name for name in RECORDED if is_unchanged(name)])
def test_a_call_has_the_digest_of_older_stores(recorded: str) -> None:
    call = call_of(KINDS[recorded.split(maxsplit=1)[0]], module_of(recorded))
    assert call.digest.hex() == RECORDED[recorded]["digest"]


def test_versions_explain_all_other_digests() -> None:
    changed = {name.split()[-1] for name in RECORDED if not is_unchanged(name)}
    # dualpc, fci and rfci follow their authors' programs since, boss has more starts.
    assert len(changed) < len(RECORDED) / 4
    assert {"fci", "rfci", "dualpc"} <= changed
