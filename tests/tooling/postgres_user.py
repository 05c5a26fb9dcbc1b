"""A program that uses a local Postgres and is told what to do line by line, so that a test can kill it.

Arguments: the folder, and the uid to become (the modules of a .venv below /root are loaded before).
"""

import os
import sys
from pathlib import Path

import psycopg

from db.local import LocalPostgres, NoPostgres

# Loaded while we still may: psycopg imports it when it first connects by a name.
import encodings.idna  # noqa: F401, I001  isort:skip


def main() -> None:
    folder, uid = Path(sys.argv[1]), int(sys.argv[2])
    if uid != os.geteuid():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        os.environ["HOME"] = "/nonexistent"
    postgres = LocalPostgres(folder, fsync=False)
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        try:
            print(repr(obey(postgres, command, rest)), flush=True)
        except NoPostgres as refusal:
            print(repr(f"refused: {refusal}"), flush=True)


def obey(postgres: LocalPostgres, command: str, rest: str) -> object:
    if command == "start":
        return postgres.start()
    if command == "stop":
        return postgres.stop()
    if command == "up":
        return postgres.is_up()
    assert command == "sql"
    with psycopg.connect(postgres.conninfo(), autocommit=True) as connection:
        cursor = connection.execute(rest)
        return cursor.fetchall() if cursor.description else None


main()
