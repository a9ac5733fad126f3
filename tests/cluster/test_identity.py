"""Which machines may work on a run: what is compared, what refuses, what is only said."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

import dagathlon
from dagathlon import _core
from dagathlon.cluster import identity as module
from dagathlon.cluster.identity import (
    identity,
    lacking,
    module_id,
    objections,
    remarks,
)
from dagathlon.modules import find

ROOT = Path(__file__).parents[2]


def other(**changed: str) -> dict[str, str]:
    return identity() | changed


def test_a_machine_agrees_with_itself():
    assert objections(identity(), identity()) == []
    assert remarks(identity(), identity()) == []
    assert all(isinstance(value, str) and value for value in identity().values())


def test_the_core_was_built_from_the_sources_that_are_here():
    """Two builds of one checkout agree, and a change of any file is another core."""
    files = [path for kind in ("cpp", "hpp", "in") for path in (ROOT / "cpp").rglob(f"*.{kind}")]
    names = sorted([str(path.relative_to(ROOT)) for path in files] + ["CMakeLists.txt"])
    lines = (
        f"{hashlib.sha256((ROOT / name).read_bytes()).hexdigest()}  {name}\n" for name in names
    )
    expected = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert _core.source_digest() == expected, "build the native core again"


def test_the_digest_of_sources_is_that_of_names_and_contents(tmp_path):
    before = module._sources_digest(Path(dagathlon.__file__).parent)
    assert before == identity()["sources"]
    copy = tmp_path / "elsewhere"
    shutil.copytree(Path(dagathlon.__file__).parent / "study", copy)
    found = module._sources_digest(copy)
    (copy / "engine" / "notes.txt").write_text("no source")
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / "left.py").write_text("no source either")
    assert module._sources_digest(copy) == found
    moved = (copy / "engine" / "pace.py").rename(copy / "engine" / "speed.py")
    renamed = module._sources_digest(copy)
    moved.write_text(moved.read_text() + "\n")
    changed = module._sources_digest(copy)
    (copy / "engine" / "table.toml").write_text("decides = 1")
    assert len({found, renamed, changed, module._sources_digest(copy)}) == 4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"dagathlon": "9.9"}, "9.9 there; pip install dagathlon==" + identity()["dagathlon"]),
        ({"sources": "a" * 64}, "aaaaaaaaaaaa there; install the same sources on both"),
        ({"core": "b" * 64}, "native core: " + identity()["core"][:12]),
        ({"byte_order": "big"}, "big there; such a machine cannot take part"),
        ({"numpy": "1.0.3"}, "numpy: " + identity()["numpy"] + " here, 1.0.3 there"),
    ],
)
def test_what_may_change_results_refuses(changed, said):
    (text,) = objections(identity(), other(**changed))
    assert said in text
    assert remarks(identity(), other(**changed)) == []


def test_what_changes_last_digits_at_most_is_a_remark():
    ours = identity() | {"numpy": "2.4.1", "scipy": "1.17.0", "python": "3.11"}
    theirs = ours | {
        "numpy": "2.4.9",
        "scipy": "1.17.2",
        "python": "3.13",
        "architecture": "aarch64",
    }
    assert objections(ours, theirs) == []
    assert [text.partition(":")[0] for text in remarks(ours, theirs)] == [
        "the processor architecture",
        "Python",
        "numpy",
        "scipy",
    ]


def test_another_version_is_named_alone():
    theirs = {"dagathlon": "0.0.1\x1b[31m", "sources": "", "core": ""}
    (text,) = objections(identity(), theirs)
    assert text.startswith("dagathlon: ")
    assert "\x1b" not in text


def test_an_answer_without_entries_is_refused():
    assert objections(identity(), {})
    assert "unknown there" in objections(identity(), other() | {"core": "unknown"})[0]


def test_what_a_machine_lacks():
    version = find("algorithm", "pc").version
    calls = [
        ("algorithm", "pc", version),
        ("algorithm", "pcc", 1),
        ("graph", "pcalg_randdag", 10**6),
        ("nonsense", "pc", 1),
    ]
    found = lacking(calls)
    assert set(found) == {"algorithm pcc", "graph pcalg_randdag", "nonsense pc"}
    assert "did you mean" in found[module_id("algorithm", "pcc")]
    assert "the study has 1000000" in found["graph pcalg_randdag"]


def test_an_unavailable_module_is_lacking_with_its_reason(monkeypatch):
    monkeypatch.setattr(find("algorithm", "pc"), "unavailable", "it needs a moon")
    version = find("algorithm", "pc").version
    assert lacking([("algorithm", "pc", version)]) == {"algorithm pc": "it needs a moon"}
