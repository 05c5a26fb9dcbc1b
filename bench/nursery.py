"""Begins web processes in a tenth of a second: forks them off a process that has everything imported already.

Hosts have a processor to spare for a start of two seconds; a machine that kills a process every two seconds, and plays
all the games besides, has not. What is forked is what `python -m telegram_bot web` is after its imports.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any


class Child:
    """A process that was forked elsewhere, with what of Popen is needed here."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = threading.Event()

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, how: signal.Signals) -> None:
        if self.returncode is None:
            os.kill(self.pid, how)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def ended(self, code: int) -> None:
        self.returncode = code
        self._ended.set()


class Nursery:
    """The process that forks, from outside."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.nursery"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._begun: queue.SimpleQueue[Child] = queue.SimpleQueue()
        self._children: dict[int, Child] = {}
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def fork(self, command: list[str], environment: dict[str, str], log: Path) -> Child:
        assert self._process.stdin is not None
        print(json.dumps([command, environment, str(log)]), file=self._process.stdin, flush=True)
        return self._begun.get(timeout=60)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._listening.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            what, pid, code = json.loads(line)
            if what == "begun":
                self._children[pid] = Child(pid)
                self._begun.put(self._children[pid])
            else:
                self._children[pid].ended(code)


def main() -> None:
    """Fork on demand, and tell how the forked ended, until the other end is closed."""
    import uvloop  # noqa: F401

    from db import migrate

    migrate.revisions_known()
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(mouth)
    while True:
        ready, _, _ = select.select([sys.stdin.fileno(), ear], [], [])
        if ear in ready:
            os.read(ear, 1000)
            tell_of_the_ended()
        if sys.stdin.fileno() in ready:
            line = sys.stdin.buffer.readline()
            if not line:
                return
            begin(*json.loads(line))


def begin(command: list[str], environment: dict[str, str], log: str) -> None:
    pid = os.fork()
    if pid == 0:
        become(command, environment, log)
    tell("begun", pid)


def become(command: list[str], environment: dict[str, str], log: str) -> None:
    """The child: as if begun by a shell."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for here, there in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(here, there)
        os.environ.update(environment)
        from telegram_bot.__main__ import main

        code = main(command)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def tell_of_the_ended() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        tell("ended", pid, os.waitstatus_to_exitcode(status))


def tell(what: str, pid: int, code: Any = None) -> None:
    os.write(1, json.dumps([what, pid, code]).encode() + b"\n")


if __name__ == "__main__":
    main()
