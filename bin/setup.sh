# Finds a Python 3.11 to 3.14 and fills .venv from the lock; sourced by bin/play, bin/test and bin/lock, not run.
# Leaves: $root (the checkout) and $python (the interpreter of .venv). A second run with an unchanged lock costs a few
# milliseconds and no network.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 1
python="$root/.venv/bin/python"

usable() {
    "$1" -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python \
        "${PYENV_ROOT:-${HOME-}/.pyenv}"/versions/3.1[1-4]*/bin/python3; do
        # A pyenv shim exists for versions that are not switched on, so only a run tells.
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "Stay Away! needs Python 3.11 to 3.14 with its venv module, and found none: install one, or name one with PYTHON=/path/to/python3" >&2
    return 1
}

# The venv remembers the lock it was filled from and the folder it was made in (a venv does not survive a move).
if ! { cmp -s "$root/requirements-dev.txt" "$root/.venv/filled-from" &&
    [ "$(cat "$root/.venv/made-in" 2>/dev/null)" = "$root" ] && usable "$python"; }; then
    found=$(cd "$root" && find_python) || exit 2
    (cd "$root" && "$found" bin/setup.py) || exit $?
fi
