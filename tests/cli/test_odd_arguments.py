"""Arguments that no command can use end in words, not in a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagathlon import learn
from dagathlon.cli import main
from dagathlon.errors import DataError

QUICKSTART = str(Path(__file__).parents[2] / "studies" / "quickstart.json")
LARGE = str(10**23)


@pytest.fixture
def data(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(30)))
    return "d.csv"


def said(capsys, *arguments: str) -> str:
    """What a command says that ends with a mistake of the user's."""
    try:
        code: object = main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "d.csv", "--with", "hc"),
        ("sample", "--network", "asia", "--n", "5", "--out", "o.csv"),
        ("rank-without-truth", "d.csv", "--with", "hc", "--with", "pc"),
    ],
)
def test_seeds_are_no_larger_than_others_can_read(data, capsys, command):
    assert "2^63 - 1" in said(capsys, *command, "--seed", LARGE)


@pytest.mark.parametrize("command", ["run", "check"])
def test_seeds_of_studies_stay_within_bounds(data, capsys, command):
    found = said(capsys, command, QUICKSTART, "--out", "o", "--seed", LARGE)
    assert "seed_range: with 1" in found
    assert "beyond 2^63 - 1" in found
    assert not Path("o").exists()


@pytest.mark.parametrize("command", ["run", "check"])
def test_limits_of_memory_are_no_larger_than_others_can_read(data, capsys, command):
    found = said(capsys, command, QUICKSTART, "--out", "o", "--memory-limit", LARGE)
    assert "expected less than 2^63 bytes" in found
    assert not Path("o").exists()


@pytest.mark.parametrize("learner", ["boss[starts={}]", "hc[restart={}]"])
def test_whole_numbers_are_no_larger_than_native_code_takes(data, capsys, learner):
    found = said(capsys, "learn", "d.csv", "--with", learner.format(LARGE))
    assert ", less than 2^63" in found
    assert "Traceback" not in found


def test_seeds_in_python_are_checked(data):
    with pytest.raises(DataError, match="seed: expected a whole number from 0 to"):
        learn(data, "hc", seed=10**40)
    with pytest.raises(DataError, match=r"seed: expected a whole number, found 1\.5"):
        learn(data, "hc", seed=1.5)


@pytest.mark.parametrize(
    "command",
    [
        ("run", QUICKSTART, "--out", "x\udcff"),
        ("describe", "d.csv", "--na", "\udcff"),
        ("learn", "d.csv", "--with", "hc[\udcff=3]"),
    ],
)
def test_arguments_are_text(data, capsys, command):
    odd = next(word for word in command if "\udcff" in word)
    assert f"the argument {odd!r} is not UTF-8 text" in said(capsys, *command)


@pytest.mark.parametrize("wrong", ["n=-1", "n=0", "n=1.5", "seeds=0", "n=many", "n=true"])
def test_impossible_numbers_of_rows_and_seeds_are_refused(data, capsys, wrong):
    found = said(capsys, "new", "study", "f.json", "--data", f"alarm[{wrong}]", "--pick", "pc")
    assert "is a whole number at least 1" in found
    assert not Path("f.json").exists()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("asia[truth=x.csv]", "data are drawn from a network, whose graph is their truth"),
        ("asia[seed=3]", "asia: unknown key 'seed' (did you mean 'seeds'?)"),
        ("asia[seeds=3,5]", "asia: 'seeds' takes one value, 2 given"),
        ("erdos_renyi[nodes=20]", "unknown bundled network or data file 'erdos_renyi'"),
        ("d.csv[n=20]", "a data file takes only truth"),
    ],
)
def test_keys_of_data_that_say_nothing_are_refused(data, capsys, asked, message):
    assert message in said(capsys, "new", "study", "s.json", "--pick", "hc", "--data", asked)
    assert not Path("s.json").exists()


def test_a_study_without_end_is_refused(capsys):
    assert "not a regular file" in said(capsys, "check", "/dev/zero")
