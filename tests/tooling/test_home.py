"""bin/play's own work: real processes, started together, looked after, and ended together."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import local
from telegram_bot import config
from tests.conftest import memory

ROOT = Path(__file__).resolve().parents[2]


class Home:
    """A running `stay-away play`, read line by line."""

    def __init__(self, **environment: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="stay-away-home-", dir=memory()))
        self.folder.chmod(0o755)
        self.ports = free_port(), free_port()
        bare = {name: value for name, value in os.environ.items() if name not in config.KNOWN}
        self.environment = bare | {"PORT": str(self.ports[0]), "PLAYGROUND_PORT": str(self.ports[1]),
                                   "PYTHONUNBUFFERED": "1"} | environment
        self.process = self.start()

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "telegram_bot", "play", "--no-browser", "--data", str(self.folder / ".local")],
            cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def until(self, words: str) -> str:
        """The next line with *words* in it."""
        assert self.process.stdout
        said = []
        for line in self.process.stdout:
            said.append(line)
            if words in line:
                return line
        raise AssertionError(f"never said {words!r}, but:\n{''.join(said)}")

    def children(self) -> dict[str, int]:
        """The processes of ours that are up, by name."""
        found = {}
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode().split("\0")
                mine = f"PORT={self.ports[0]}\0".encode() in (path.parent / "environ").read_bytes()
            except OSError:
                continue
            if mine and "-m" in words:
                name = words[words.index("-m") + 1]
                found[name if name == "playground" else words[words.index("-m") + 2]] = int(path.parent.name)
        return found

    def postgres(self) -> tuple[int, Path]:
        data, = (path for path in (self.folder / ".local").glob("pg*") if path.is_dir())
        pid = local.pid_in(data)
        assert pid
        return pid, data

    def get(self, port: int, path: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return int(answer.status)

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        with self.process:
            self.process.send_signal(how)
            assert self.process.stdout
            self.process.stdout.read()
        return self.process.returncode


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def home() -> Iterator[Home]:
    home = Home()
    yield home
    if home.process.poll() is None:
        home.end(signal.SIGTERM)
    shutil.rmtree(home.folder)


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_one_command_brings_everything_up_and_ctrl_c_ends_it(home):
    line = home.until("play at")
    assert f"http://127.0.0.1:{home.ports[1]}/" in line
    assert home.get(home.ports[1], "/") == 200
    assert home.get(home.ports[0], "/healthz") == 200
    assert home.children().keys() >= {"play", "playground", "web"}
    pid, data = home.postgres()
    assert home.end() == 0
    assert home.children() == {}
    assert not local.is_server(pid, data)


@linux
def test_what_dies_is_told_and_begun_again(home):
    home.until("play at")
    children = home.children()
    for name in ("playground", "web"):
        os.kill(children[name], signal.SIGKILL)
    for name in ("playground", "web"):
        home.until(f"the {name} process was killed by signal 9: starting it again")
    before, data = home.postgres()
    os.kill(before, signal.SIGKILL)
    home.until("the local Postgres is gone: starting it again")
    assert home.end(signal.SIGTERM) == 0
    assert not local.is_server(local.pid_in(data) or 0, data)


@linux
def test_a_killed_play_leaves_no_port_taken_and_its_games_to_the_next(home):
    home.until("play at")
    children = home.children()
    home.process.kill()
    with home.process:
        assert home.process.stdout
        home.process.stdout.read()  # ends when the last child that writes there has ended
    assert not {"web", "playground"} & home.children().keys(), children
    home.process = home.start()
    home.until("play at")
    assert home.end() == 0


def test_a_taken_port_is_one_clear_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        home = Home(PORT=str(port))
        with home.process as process:
            assert process.stdout
            said = process.stdout.read()
    assert process.returncode == 2
    assert said == (f"stay-away: port {port} cannot be had (Address already in use); is Stay Away! running already? "
                    f"Stop that program, or choose another port: PORT={port + 10} bin/play\n")
    assert not (home.folder / ".local").exists()
    home.folder.rmdir()


def test_a_database_that_is_set_is_used_and_none_is_started(another_database_url):
    home = Home(DATABASE_URL=another_database_url)
    home.until("play at")
    assert [path.name for path in (home.folder / ".local").glob("pg*")] == []
    assert home.end() == 0
    shutil.rmtree(home.folder)
