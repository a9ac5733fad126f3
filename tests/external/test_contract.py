"""The contract: what a program finds, what it leaves, and what is made of it when it fails."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest
from folders import EMPTY_GRAPH, MANIFEST, data, learned, module, write

from dagathlon.data import Dataset, Variable
from dagathlon.external import load_folder
from dagathlon.external.results import ProgramError
from dagathlon.graphs import Graph
from dagathlon.processes.usage import peak_memory

KEEP = 'cp data.csv parameters.json "$TARGET"; printf \'%s\\n\' "$@" > "$TARGET/words"\n'


def kept(tmp_path, monkeypatch, manifest, given, **values):
    """Run a program that keeps what it finds."""
    target = tmp_path / "kept"
    target.mkdir()
    monkeypatch.setenv("TARGET", str(target))
    cls = load_folder(write(tmp_path / "m", KEEP + EMPTY_GRAPH, manifest))
    learned(cls, given, **values)
    words = (target / "words").read_text().splitlines()
    return (
        (target / "data.csv").read_text(),
        json.loads((target / "parameters.json").read_text()),
        words,
    )


def test_program_finds_data_and_parameters(tmp_path, monkeypatch):
    words = '"{x}-{seed}", "{y}", "{data_kind}", "{}"'
    manifest = MANIFEST.replace('learn.sh"]', f'learn.sh", {words}]')
    for name, kind in (("x", "number"), ("y", "text")):
        manifest += f'[parameters.{name}]\ntype = "{kind}"\nnullable = true\ndescription = "D."\n'
    text, parameters, words = kept(tmp_path, monkeypatch, manifest, data(n=2), x=0.25, timeout=7)
    assert text.splitlines()[0] == "a,b"
    read = np.array([line.split(",") for line in text.splitlines()[1:]], dtype=float)
    assert np.array_equal(read, data(n=2).values)
    seed = parameters.pop("seed")
    assert isinstance(seed, int)
    assert 0 < seed < 2**31
    assert parameters == {
        "x": 0.25, "y": None, "timeout": 7.0, "time_limit": 7.0, "names": ["a", "b"],
        "data_kind": "continuous", "module": "mine", "memory_limit": None,
    }  # fmt: skip
    assert words == [f"0.25-{seed}", "null", "continuous", "{}"]


def test_discrete_data_have_a_row_of_cardinalities(tmp_path, monkeypatch):
    text, parameters, _ = kept(tmp_path, monkeypatch, MANIFEST, data("discrete"))
    assert text.splitlines()[:2] == ["a,b", "2,2"]
    assert parameters["data_kind"] == "discrete"


def test_graph_and_statistics_are_read(tmp_path):
    script = "printf 'b,a\\n0,1\\n0,0\\n' > adjmat.csv; echo '{\"ntests\": 3}' > stats.json"
    estimate = learned(module(tmp_path / "m", script, gives='"dag"'))
    assert estimate.graph == Graph.from_adjacency(["a", "b"], [[0, 0], [1, 0]])
    assert estimate.graph.names == ("a", "b")
    assert estimate.stats == {"ntests": 3}


def test_marks_are_read(tmp_path):
    script = "printf 'a,b\\n0,2\\n1,0\\n' > adjmat.csv"
    graph = learned(module(tmp_path / "m", script, gives='"pag"')).graph
    assert [str(edge) for edge in graph.edges()] == ["a o-> b"]


def test_chain_is_read(tmp_path):
    rows = [
        "index,score,added,removed",
        "-2,0,[a-b],[]",
        "-1,0,[],[a-b]",
        "0,-5,[],[]",
        "3,-1,[a-b],[]",
        "10,-1,[],[]",
    ]
    script = "cat > trajectory.csv <<'X'\n" + "\n".join(rows) + "\nX\n"
    estimate = learned(module(tmp_path / "m", script, gives='"chain"'))
    assert estimate.posterior is not None
    assert (estimate.posterior.n_draws, estimate.graph.n_edges) == (10, 1)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo working; echo 'no luck' >&2; exit 3", "mine ended with exit code 3: no luck"),
        ("echo Error: why; echo Execution halted; exit 1", "exit code 1: Error: why"),
        ("exit 4", "mine ended with exit code 4: it printed nothing"),
        ("kill -SEGV $$", "mine was killed by SIGSEGV"),
        ("touch other.txt", r"mine wrote no adjmat\.csv; it wrote other\.txt"),
        (":", r"mine wrote no adjmat\.csv; it wrote none"),
        ("echo garbage > adjmat.csv", "wrote an invalid result: adjmat.csv"),
        ("head -c 1000 /dev/zero > adjmat.csv", "wrote an invalid result: adjmat.csv"),
        ("printf 'a,c\\n0,0\\n0,0\\n' > adjmat.csv", "names are not those of the data: b, c"),
        ("printf 'a,b\\n0,1\\n0,0\\n' > adjmat.csv", "gives undirected graphs, this one is dag"),
        (EMPTY_GRAPH + "echo '[1]' > stats.json", "expected an object of numbers and texts"),
        (EMPTY_GRAPH + "echo '{\"x\": [1]}' > stats.json", r"'x' is \[1\], expected a number"),
        (EMPTY_GRAPH + "echo '{\"x\": NaN}' > stats.json", "'x' is not a finite number"),
        (EMPTY_GRAPH + "echo '{' > stats.json", "stats.json: not valid JSON"),
    ],
)
def test_failures_say_what_happened(tmp_path, script, message):
    cls = module(tmp_path / "m", script)
    with pytest.raises(ProgramError, match=message) as caught:
        learned(cls)
    assert "/dagathlon-" not in str(caught.value)


def test_last_output_is_kept_as_a_note(tmp_path):
    script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 1"
    with pytest.raises(ProgramError, match="line 2999") as caught:
        learned(module(tmp_path / "m", script))
    (note,) = caught.value.__notes__
    assert "line 2998\nline 2999" in note
    assert len(note) < 10_000


def test_program_that_cannot_start(tmp_path):
    cls = module(tmp_path / "m", command='["./nothing-there"]')
    with pytest.raises(ProgramError, match=r"mine cannot be started \(./nothing-there: No such"):
        learned(cls)


def test_lack_of_memory_is_told_apart(tmp_path):
    cls = module(tmp_path / "m", "echo 'Error: cannot allocate vector of size 8 Gb'; exit 1")
    with pytest.raises(MemoryError):
        learned(cls)


def test_folder_of_the_run_is_fresh_and_goes_away(tmp_path, monkeypatch):
    monkeypatch.setenv("TARGET", str(tmp_path / "where"))
    listing = "{ pwd; ls -A | tr '\\n' ' '; echo; } >> \"$TARGET\"; touch x; "
    cls = module(tmp_path / "m", listing + EMPTY_GRAPH)
    learned(cls)
    learned(cls)
    first, first_files, second, second_files = (tmp_path / "where").read_text().splitlines()
    assert first != second
    assert first_files == second_files == "data.csv parameters.json "
    assert not os.path.exists(first)
    assert not os.path.exists(second)


def test_output_that_nobody_reads_does_not_block_the_program(tmp_path):
    script = "yes | head -c 3000000; sleep 0.1 & " + EMPTY_GRAPH
    begin = time.perf_counter()
    assert learned(module(tmp_path / "m", script)).graph.n_edges == 0
    assert time.perf_counter() - begin < 20


def test_odd_names_survive(tmp_path):
    names = ["a b", 'quote"d', "com,ma", "é"]
    rng = np.random.default_rng(1)
    given = Dataset([Variable(name) for name in names], values=rng.normal(size=(9, 4)))
    script = "head -1 data.csv > adjmat.csv; for i in 1 2 3 4; do echo 0,0,0,0; done >> adjmat.csv"
    assert learned(module(tmp_path / "m", script), given).graph.names == tuple(names)


def test_memory_of_the_program_is_seen_every_time(tmp_path):
    hold = "BEGIN { while (n < 600000) x[n++] = n; while (n < 2000000) n++ }"
    large = module(tmp_path / "large", EMPTY_GRAPH + f"exec awk '{hold}'")
    small = module(tmp_path / "small", EMPTY_GRAPH)
    seen = []
    for cls in (large, small, large, small):
        peak_memory.reset()
        learned(cls)
        seen.append(peak_memory.bytes)
    assert min(seen[0], seen[2]) > 15e6
    assert max(seen[1], seen[3]) < 10e6


def test_seed_follows_the_stream(tmp_path):
    script = EMPTY_GRAPH + 'echo "{\\"seed\\": $1}" > stats.json'
    cls = module(tmp_path / "m", script, command='["sh", "{folder}/learn.sh", "{seed}"]')
    seeds = [
        cls().learn(data(), np.random.Generator(np.random.Philox(key=key))).stats["seed"]
        for key in (1, 1, 2)
    ]
    assert seeds[0] == seeds[1] != seeds[2]
