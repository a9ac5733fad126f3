"""Environments: what is missing is said before anything runs, and nothing is fetched unasked."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from folders import EMPTY_GRAPH, MANIFEST, R_MISSING, data, learned, module, write

from dagathlon.errors import UnavailableError
from dagathlon.external import environment, load_folder, uv
from dagathlon.external.container import END_WITH_INPUT
from dagathlon.external.uv import dependencies, find_uv
from dagathlon.learners import learn
from dagathlon.modules import add_files

UV_MISSING = "" if find_uv() else "there is no uv here"
INLINE = """['sh', '-c', 'printf "a,b\\n0,0\\n0,0\\n" > adjmat.csv']"""
SCRIPT = """\
# /// script
# requires-python = ">=3.9"
# dependencies = [{}]
# ///
import sys
open("adjmat.csv", "w").write("a,b\\n0,0\\n0,0\\n")
open("stats.json", "w").write('{{"prefix": "%s"}}' % sys.prefix)
"""


def in_environment(folder: Path, table: str, script: str = EMPTY_GRAPH):
    return load_folder(write(folder, script, f"{MANIFEST}[environment]\n{table}\n"))


def with_uv(folder: Path, packages: str = ""):
    folder.mkdir()
    (folder / "learn.py").write_text(SCRIPT.format(packages))
    manifest = MANIFEST.replace('"sh", "{folder}/learn.sh"', '"{python}", "{folder}/learn.py"')
    manifest += '[environment]\nkind = "uv"\nscript = "learn.py"\n'
    (folder / "module.toml").write_text(manifest)
    return load_folder(folder)


def fake_program(folder: Path, name: str, script: str, monkeypatch) -> None:
    """Put a program of that name in front of all others on the PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_missing_command_is_the_reason(tmp_path):
    cls = in_environment(tmp_path / "m", 'commands = ["no-such-program"]\nhint = "buy it"')
    assert cls.unavailable == cls().unavailable == "needs no-such-program on the PATH (buy it)"
    add_files([tmp_path / "m"])
    with pytest.raises(UnavailableError, match="mine cannot run here: needs no-such-program"):
        learn(data(), "mine")


@pytest.mark.skipif(bool(R_MISSING), reason=R_MISSING)
def test_missing_r_package_is_the_reason(tmp_path):
    cls = in_environment(tmp_path / "m", 'r_packages = ["stats", "noSuchPackage"]')
    assert cls.unavailable == "needs the R package noSuchPackage"
    assert in_environment(tmp_path / "ok", 'r_packages = ["stats"]').unavailable == ""


def test_r_packages_need_rscript(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    cls = in_environment(tmp_path / "m", 'r_packages = ["stats"]')
    assert cls.unavailable == "needs Rscript on the PATH"


def test_broken_r_is_the_reason(tmp_path, monkeypatch):
    environment.missing_r_packages.cache_clear()
    fake_program(tmp_path / "bin", "Rscript", "echo no libR >&2; exit 1", monkeypatch)
    cls = in_environment(tmp_path / "m", 'r_packages = ["stats"]')
    assert cls.unavailable == "Rscript does not work: no libR"
    environment.missing_r_packages.cache_clear()


def test_without_uv_there_is_a_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(uv, "find_uv", lambda: None)
    assert with_uv(tmp_path / "m").unavailable == "needs uv (pip install 'dagathlon[external]')"


@pytest.mark.skipif(bool(UV_MISSING), reason=UV_MISSING)
def test_uv_makes_an_environment_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    cls = with_uv(tmp_path / "m")
    assert cls.unavailable == ""
    cls.prepare()
    prefix = str(learned(cls).stats["prefix"])
    assert prefix.startswith(str(tmp_path / "cache"))


@pytest.mark.skipif(bool(UV_MISSING), reason=UV_MISSING)
def test_offline_nothing_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("DAGATHLON_OFFLINE", "1")
    cls = with_uv(tmp_path / "m", '"numpy"')
    said: list[str] = []
    assert "DAGATHLON_OFFLINE forbids to install" in cls.unavailable
    with pytest.raises(UnavailableError, match="DAGATHLON_OFFLINE forbids"):
        cls.prepare(said.append)
    assert said == []


@pytest.mark.skipif(bool(UV_MISSING), reason=UV_MISSING)
def test_failed_installation_is_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("UV_INDEX_URL", f"file://{tmp_path}/no-index")
    cls = with_uv(tmp_path / "m", '"dagathlon-no-such-package"')
    monkeypatch.setattr(uv, "_REMEMBERED", math.inf)
    said: list[str] = []
    for _ in range(2):  # the second does not try again
        with pytest.raises(UnavailableError, match="uv could not install its packages"):
            cls.prepare(said.append)
    assert said == ["mine: installing dagathlon-no-such-package with uv, for the first run"]


def test_what_uv_says_is_shortened():
    said = "error: Failed to fetch: `x`\n  cause: error\n  cause: Connection refused\n"
    assert uv._short_error(said) == "Failed to fetch: `x`; Connection refused"
    assert uv._short_error("error: no\n") == "no"
    assert uv._short_error("") == ""
    assert uv._package_words(", ".join(["package==1"] * 30)) == "30 packages (this takes minutes)"


def test_inline_dependencies_are_read(tmp_path):
    path = tmp_path / "x.py"
    path.write_text(SCRIPT.format('"a==1", "b<2"'))
    assert dependencies(path) == "a==1, b<2"
    path.write_text("print(1)\n")
    assert dependencies(path) == "no packages"


DOCKER = """\
case "$1" in
  version) echo 28;;
  image) test -e "$IMAGES/present";;
  pull) touch "$IMAGES/present";;
  run)
    while [ "$1" != --entrypoint=sh ]; do
      case "$1" in --volume=*:/work) w=${1#--volume=}; cd "${w%:/work}";; esac
      shift
    done
    shift 2
    exec sh "$@";;
esac
"""


def test_docker_fetches_once_and_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("IMAGES", str(tmp_path))
    fake_program(tmp_path / "bin", "docker", DOCKER, monkeypatch)
    cls = in_environment(tmp_path / "m", 'kind = "docker"\nimage = "some/image:1"')
    command = cls.manifest.environment.command(["run", "{folder}/x"], {}, Path("/tmp/w"))
    assert command[-2:] == ["run", "/module/x"]
    assert {"--network=none", "--volume=/tmp/w:/work", "--cpus=1"} <= set(command)
    said: list[str] = []
    cls.prepare(said.append)
    cls.prepare(said.append)
    assert said == ["mine: fetching the image some/image:1 with docker, for the first run"]
    runs = module(
        tmp_path / "inside",
        command=INLINE,
        environment='{kind = "docker", image = "some/image:1"}',
    )
    assert learned(runs).graph.n_edges == 0


def test_program_in_a_container_ends_with_its_input():
    process = subprocess.Popen(
        ["sh", "-c", END_WITH_INPUT, "sh", "sleep", "1000"], stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    time.sleep(0.3)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(timeout=10) == 128 + signal.SIGKILL


def test_container_without_its_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind in ("apptainer", "docker", "podman"):
        cls = in_environment(tmp_path / kind, f'kind = "{kind}"\nimage = "x"\nhint = "ask"')
        assert cls.unavailable == f"needs {kind} on the PATH (ask)"


def test_docker_that_does_not_answer_is_the_reason(tmp_path, monkeypatch):
    fake_program(tmp_path / "bin", "docker", "echo no daemon >&2; exit 1", monkeypatch)
    cls = in_environment(tmp_path / "m", 'kind = "docker"\nimage = "x"')
    assert cls.unavailable == "docker does not work: no daemon"


def test_apptainer_runs_an_image_of_the_folder(tmp_path, monkeypatch):
    script = """
while [ "$1" != "$IMAGE" ]; do
  case "$1" in --bind=*:/work) w=${1#--bind=}; cd "${w%:/work}";; esac
  shift
done
shift
exec "$@"
"""
    fake_program(tmp_path / "bin", "apptainer", script, monkeypatch)
    cls = module(
        tmp_path / "m",
        command=INLINE,
        environment='{kind = "apptainer", image = "image.sif"}',
    )
    (tmp_path / "m" / "image.sif").touch()
    monkeypatch.setenv("IMAGE", str(tmp_path / "m" / "image.sif"))
    cls.prepare()
    assert learned(cls).graph.n_edges == 0


def test_offline_no_image_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("DAGATHLON_OFFLINE", "1")
    fake_program(tmp_path / "bin", "apptainer", "touch $0.used", monkeypatch)
    cls = in_environment(tmp_path / "m", 'kind = "apptainer"\nimage = "docker://x"')
    assert "DAGATHLON_OFFLINE forbids to fetch" in cls.unavailable
    with pytest.raises(UnavailableError, match="forbids"):
        cls.prepare()
    assert not (tmp_path / "bin" / "apptainer.used").exists()
