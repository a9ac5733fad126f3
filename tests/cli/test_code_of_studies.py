"""`check` and `run` say which files of code a study executes, before they do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagathlon.cli import USER_ERROR, main
from dagathlon.errors import StudyError
from dagathlon.study.config.study_file import code_of

STUDY = {
    "benchmark_setup": [
        {
            "title": "s",
            "data": [
                {
                    "graph_id": None,
                    "parameters_id": None,
                    "data_id": "d.csv",
                    "seed_range": None,
                }
            ],
            "evaluation": {},
        }
    ],
    "resources": {"structure_learning_algorithms": {"hc": [{"id": "hc"}]}},
}
FAILING = "raise RuntimeError('it was executed')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAGATHLON_MODULES", "")
    (tmp_path / "mine.py").write_text(FAILING)
    (tmp_path / "other.py").write_text(FAILING)
    (tmp_path / "d.csv").write_text("A,B\n1.5,2\n2.5,3\n0.5,1\n")
    (tmp_path / "s.json").write_text(json.dumps(STUDY | {"modules": ["mine.py"]}))
    return tmp_path


@pytest.mark.parametrize("command", ["check", "run"])
def test_the_files_are_named_before_they_are_executed(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "s.json"]) == USER_ERROR
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "executes the code in mine.py"
    assert "it was executed" in lines[1]
    assert main([command, "s.json", "--modules", "other.py", "--modules", "./mine.py"]) != 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["executes the code in other.py", "executes the code in mine.py"]


def test_files_that_a_file_imports_are_named_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "code" / "parts").mkdir(parents=True)
    (folder / "code" / "main.py").write_text("import helper\nimport json\n" + FAILING)
    (folder / "code" / "helper.py").write_text("import parts.inner\n")
    (folder / "code" / "parts" / "inner.py").write_text("")
    assert main(["check", "s.json", "--modules", "code/main.py"]) == USER_ERROR
    named = ["code/main.py", "code/helper.py", "code/parts/inner.py", "mine.py"]
    lines = capsys.readouterr().err.splitlines()
    assert lines[:4] == [f"executes the code in {name}" for name in named]


def test_files_that_the_environment_names_are_named_too(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGATHLON_MODULES", str(folder / "other.py"))
    assert main(["check", "s.json"]) == USER_ERROR
    assert capsys.readouterr().err.startswith(f"executes the code in {folder / 'other.py'}\n")


def test_a_quiet_run_says_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "s.json", "--quiet"]) == USER_ERROR
    assert "executes" not in capsys.readouterr().err


def test_a_study_without_modules_executes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.json").write_text(json.dumps(STUDY))
    assert main(["check", "s.json"]) == 0
    assert "executes" not in capsys.readouterr().err
    assert code_of(Path("s.json")) == []


def test_asking_executes_nothing(folder: Path) -> None:
    assert code_of(Path("s.json")) == [Path("mine.py")]
    Path("s.json").write_text(json.dumps(STUDY | {"modules": ["gone.py"]}))
    with pytest.raises(StudyError, match=r"^s.json: modules\[0\].*there is no file or folder"):
        code_of(Path("s.json"))
