"""Fills .venv from requirements-dev.txt. Standard library only: it runs before anything is installed."""

import fcntl
import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-dev.txt"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
COMMAND = """\
#!/bin/sh
exec "$(dirname -- "$0")/python" -m telegram_bot "$@"
"""


def main() -> int:
    """Make or mend the venv; one at a time, and a second one that waited finds nothing left to do."""
    hold = open(__file__)
    fcntl.flock(hold, fcntl.LOCK_EX)
    try:
        if not filled():
            fill()
    except subprocess.CalledProcessError as failure:
        print(f"Setting up {VENV} failed (see above). A first run needs the network.", file=sys.stderr)
        return failure.returncode or 1
    finally:
        hold.close()
    return 0


def filled() -> bool:
    try:
        return (VENV / "filled-from").read_bytes() == LOCK.read_bytes() and whole()
    except OSError:
        return False


def whole() -> bool:
    """Whether the venv was made here and its interpreter still runs (it may have been upgraded away)."""
    try:
        made_here = (VENV / "made-in").read_text() == str(ROOT)
        return made_here and subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def fill() -> None:
    lock = LOCK.read_bytes()
    if not whole():
        print(f"Making .venv with Python {sys.version.split()[0]} ...", file=sys.stderr, flush=True)
        make()
    print("Installing what requirements-dev.txt lists ...", file=sys.stderr, flush=True)
    # --no-deps: the lock is complete, so there is nothing to resolve, and nothing outside it can slip in.
    pip("install", "--quiet", "--require-hashes", "--no-deps", "-r", str(LOCK))
    # The checkout goes onto the path by a .pth file: an editable install would have to download a build backend.
    site = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                          check=True, capture_output=True, text=True).stdout.strip()
    Path(site, "stay_away.pth").write_text(f"{ROOT}\n")
    command = VENV / "bin" / "stay-away"
    command.write_text(COMMAND)
    command.chmod(0o755)
    (VENV / "filled-from").write_bytes(lock)


def make() -> None:
    if importlib.util.find_spec("ensurepip"):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
    elif importlib.util.find_spec("pip"):
        # Debian's python3 without python3-venv: its own pip can fill a venv that has none.
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)], check=True)
        subprocess.run([sys.executable, "-m", "pip", "--python", str(PYTHON), "--disable-pip-version-check", "install",
                        "--quiet", "pip"], check=True)
    else:
        print("This Python can make no venv: install its venv package (Debian: apt install python3-venv).",
              file=sys.stderr)
        raise subprocess.CalledProcessError(2, "venv")
    (VENV / "made-in").write_text(str(ROOT))


def pip(*arguments: str) -> None:
    subprocess.run([PYTHON, "-m", "pip", "--disable-pip-version-check", *arguments], check=True, cwd=ROOT)


sys.exit(main())
