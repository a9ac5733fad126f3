"""Containers: which program runs them, with which command lines; and a real one where one can."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from folders import data, learned, module
from test_environments import fake_program, in_environment

from dagathlon.errors import KilledError, StudyError, UnavailableError
from dagathlon.external import image_store
from dagathlon.external.image_store import Docker, Podman, working_options
from dagathlon.external.program import ProgramExit
from dagathlon.external.results import ProgramError, check_end
from dagathlon.external.runtimes import AnyContainer
from dagathlon.processes.usage import memory_limit

IMAGE = "localhost/dagathlon-test:1"
GRAPH = """['sh', '-c', 'printf "a,b\\n0,0\\n0,0\\n" > adjmat.csv']"""
# Podman that keeps images as files of $IMAGES and understands only the runtime $WORKS.
PODMAN = """\
echo "$@" >> "$IMAGES/calls"
runtime=default
case "$1" in --runtime=*) runtime=${1#--runtime=}; shift;; esac
case "$1" in
  version) echo 4.3;;
  image) test -e "$IMAGES/present";;
  pull) touch "$IMAGES/present";;
  run)
    test "$runtime" = "$WORKS" || { echo "cgroups not supported" >&2; exit 126; }
    while [ "$1" != --entrypoint=sh ]; do
      case "$1" in --volume=*:/work) w=${1#--volume=}; cd "${w%:/work}";; esac
      shift
    done
    shift 2
    exec sh "$@";;
esac
"""


@pytest.fixture(autouse=True)
def _ask_again(monkeypatch):
    """Ways are remembered by name, and pretended programs all have the same."""
    monkeypatch.delenv("DAGATHLON_CONTAINERS", raising=False)
    working_options.cache_clear()
    yield
    working_options.cache_clear()


def pretend(folder: Path, monkeypatch, name: str = "podman", works: str = "default") -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "xdg"))
    monkeypatch.setenv("IMAGES", str(folder))
    monkeypatch.setenv("WORKS", works)
    fake_program(folder / "bin", name, PODMAN, monkeypatch)


def only(folder: Path, monkeypatch, *programs: str) -> None:
    """A PATH with the shell's own commands and these pretended ones."""
    plain = folder / "plain"
    plain.mkdir()
    for name in ("sh", "touch", "cat"):
        (plain / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(plain))
    for name in programs:
        pretend(folder, monkeypatch, name)


def test_image_alone_is_run_by_what_is_found(tmp_path, monkeypatch):
    only(tmp_path, monkeypatch, "podman")
    cls = module(tmp_path / "m", command=GRAPH, environment='{image = "bpimages/sandbox:1.0"}')
    assert isinstance(cls.manifest.environment, AnyContainer)
    assert cls.unavailable == ""
    said: list[str] = []
    cls.prepare(said.append)
    cls.prepare(said.append)
    assert said == ["mine: fetching the image bpimages/sandbox:1.0 with podman, for the first run"]
    assert "pull docker.io/bpimages/sandbox:1.0" in (tmp_path / "calls").read_text()
    assert learned(cls).graph.n_edges == 0


def test_without_any_program_all_are_named(tmp_path, monkeypatch):
    only(tmp_path, monkeypatch)
    cls = in_environment(tmp_path / "m", 'image = "x"')
    assert cls.unavailable.startswith("no program can run its container: needs podman on the PATH")
    assert "(apt-get install podman); needs docker" in cls.unavailable
    assert "needs apptainer" in cls.unavailable


def test_the_user_and_the_manifest_say_the_order(tmp_path, monkeypatch):
    only(tmp_path, monkeypatch, "docker", "podman")

    def chosen(table: str) -> str:
        cls = in_environment(tmp_path / "m", f'image = "x"\n{table}')
        return cls.manifest.environment.command(["go"], {}, Path("/w"))[0]

    assert chosen("") == "podman"
    assert chosen('engines = ["docker", "podman"]') == "docker"
    monkeypatch.setenv("DAGATHLON_CONTAINERS", "docker")
    assert chosen('hint = "y"') == "docker"
    monkeypatch.setenv("DAGATHLON_CONTAINERS", "podmann")
    assert "did you mean 'podman'" in in_environment(tmp_path / "o", 'image = "x"').unavailable
    with pytest.raises(StudyError, match=r"engines: found 'dokcer'.*'docker'"):
        in_environment(tmp_path / "n", 'image = "x"\nengines = ["dokcer"]')


def test_containers_are_no_servers(tmp_path):
    with pytest.raises(StudyError, match="a server runs on this machine"):
        module(tmp_path / "m", server="true", environment='{image = "x"}')


def test_podman_takes_a_runtime_that_works(tmp_path, monkeypatch):
    pretend(tmp_path, monkeypatch, works="runc")
    fake_program(tmp_path / "bin", "runc", "", monkeypatch)
    (tmp_path / "present").touch()
    command = Podman(tmp_path, image="x").command(["go"], {}, Path("/w"))
    assert command[:3] == ["podman", "--runtime=runc", "run"]


def test_podman_without_a_way_is_the_reason(tmp_path, monkeypatch):
    pretend(tmp_path, monkeypatch, works="none")
    (tmp_path / "present").touch()
    cls = in_environment(tmp_path / "m", 'kind = "podman"\nimage = "x/y"\nhint = "mend it"')
    reason = "podman cannot run docker.io/x/y: cgroups not supported (mend it)"
    assert cls.unavailable == reason
    with pytest.raises(UnavailableError, match="podman cannot run"):
        cls.prepare()


def test_share_of_a_run_is_in_the_command(tmp_path, monkeypatch):
    pretend(tmp_path, monkeypatch)
    (tmp_path / "present").touch()
    monkeypatch.setenv("DAGATHLON_THREADS", "3")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    monkeypatch.setattr(image_store, "_CARD_LISTS", (str(tmp_path),))
    with memory_limit(12345678):
        podman = Podman(tmp_path, image="x").command(["go"], {}, Path("/w"))
        docker = Docker(tmp_path, image="docker://x").command(["go"], {}, Path("/w"))
    shared = {"--cpus=3", "--memory=12345678", "--env=DAGATHLON_THREADS=3", "--network=none"}
    shared |= {"--env=CUDA_VISIBLE_DEVICES=0,1", "--env=DAGATHLON_MEMORY=12345678", "--pull=never"}
    assert shared <= set(podman)
    assert shared <= set(docker)
    assert {"--device=nvidia.com/gpu=2", "--device=nvidia.com/gpu=5"} <= set(podman)
    assert '--gpus="device=2,5"' in docker
    monkeypatch.setattr(image_store, "_CARD_LISTS", ())
    with pytest.raises(UnavailableError, match="nvidia-ctk cdi generate"):
        Podman(tmp_path, image="x").command(["go"], {}, Path("/w"))


def test_offline_says_which_command_fetches_it(tmp_path, monkeypatch):
    only(tmp_path, monkeypatch, "podman")
    monkeypatch.setenv("DAGATHLON_OFFLINE", "1")
    cls = in_environment(tmp_path / "m", 'image = "a/b:1"')
    assert "podman pull docker.io/a/b:1" in cls.unavailable
    with pytest.raises(UnavailableError, match="DAGATHLON_OFFLINE forbids"):
        cls.prepare()
    assert "pull" not in (tmp_path / "calls").read_text().split()


def test_container_killed_at_its_memory_limit():
    with memory_limit(1000), pytest.raises(MemoryError, match="memory limit"):
        check_end("mine", ProgramExit(137, ""))


@pytest.mark.parametrize(
    ("code", "killed"),
    [(-9, True), (-15, True), (137, True), (143, True), (139, False), (9, False), (1, False)],
)
def test_a_shell_says_by_its_exit_code_that_its_program_was_killed(code, killed):
    with pytest.raises(ProgramError) as caught:
        check_end("mine", ProgramExit(code, "Killed"))
    assert isinstance(caught.value, KilledError) is killed


def podman_missing() -> str:
    """Why no real container can be run here; makes the image of the tests where one can."""
    busybox = shutil.which("busybox")
    if shutil.which("podman") is None or busybox is None:
        return "needs podman and a static busybox (apt-get install podman busybox-static)"
    # An executable with an interpreter, which loads its libraries, would find none in the image.
    if b"/ld-linux" in Path(busybox).read_bytes()[:4096]:
        return "busybox is not static (apt-get install busybox-static)"
    archive = Path(os.environ.get("TMPDIR", "/tmp")) / f"dagathlon-image-{os.getpid()}.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(busybox, "bin/busybox")
        for name in ("sh", "awk", "sleep", "cat", "env", "nproc"):
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
    imported = output("podman", "import", str(archive), IMAGE)
    archive.unlink()
    if not imported.startswith("sha256:"):
        return f"podman cannot import an image: {imported}"
    way = working_options("podman", IMAGE)
    return way if isinstance(way, str) else ""


@pytest.fixture(scope="module")
def real_image():
    reason = podman_missing()
    if reason:
        pytest.skip(reason)
    yield IMAGE
    output("podman", "rmi", "--force", IMAGE)


def real(folder: Path, script: str):
    return module(folder, script, environment=f'{{image = "{IMAGE}", engines = ["podman"]}}')


@pytest.mark.slow
def test_real_container_learns(tmp_path, real_image):
    script = """\
set -e
awk -F, 'NR > 1 { s += $1 * $2; x += $1 * $1 }
  END { printf "{\\"slope\\": %.6f, \\"threads\\": %d}", s / x, ENVIRON["OMP_NUM_THREADS"] }
' data.csv > stats.json
printf 'a,b\\n0,1\\n1,0\\n' > adjmat.csv
"""
    cls = real(tmp_path / "m", script)
    assert cls.unavailable == ""
    cls.prepare()
    found = learned(cls)
    values = data().values
    slope = (values[:, 0] * values[:, 1]).sum() / (values[:, 0] ** 2).sum()
    assert found.stats["slope"] == pytest.approx(slope, abs=1e-5)
    assert found.stats["threads"] == 1
    assert found.graph.n_edges == 1


WORKER = f"""
import sys
from dagathlon.errors import OutOfTimeError
sys.path.insert(0, {str(Path(__file__).parent)!r})
from folders import data
from dagathlon.learners import learn
from dagathlon.modules import add_files
add_files([sys.argv[1]])
try:
    learn(data(), "mine", timeout=float(sys.argv[2]))
except OutOfTimeError:
    sys.exit(7)
"""


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def output(*command: str) -> str:
    """What a program prints; its errors come after that."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{done.stdout.strip()}{done.stderr.strip() if done.returncode else ''}"


def containers() -> str:
    return output("podman", "ps", "--all", "--quiet", f"--filter=ancestor={IMAGE}")


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_real_container_ends_with_its_run(tmp_path, real_image, killed):
    """At the time limit of the run, and with a worker that is killed and can clean up nothing."""
    real(tmp_path / "m", "sleep 600 & sleep 600")
    limit = 600 if killed else 20  # a busy machine takes seconds to start a container
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path / "m"), str(limit)])
    wait_for(containers)
    if killed:
        worker.kill()
    assert worker.wait(timeout=120) == (-signal.SIGKILL if killed else 7)
    wait_for(lambda: not containers())


@pytest.mark.slow
def test_real_container_keeps_to_its_memory(tmp_path, real_image):
    way = working_options("podman", IMAGE)
    if isinstance(way, str) or "memory" not in way.limits:
        pytest.skip("this machine cannot limit the memory of a container")
    cls = real(tmp_path / "m", "awk 'BEGIN { s = \"x\"; while (1) s = s s }'")
    with memory_limit(64 << 20), pytest.raises(MemoryError):
        learned(cls)
