"""What goes wrong on purpose: refused, broken, slow and lost calls, by method, chat and count."""

from __future__ import annotations

import fnmatch
import random
from dataclasses import asdict, dataclass, field
from typing import Any

from playground.errors import Mistake, Refused

KINDS = (
    "429",
    "400",
    "401",
    "403",
    "500",
    "502",
    "504",
    "reset_before",
    "reset_after",
    "slow_before",
    "slow_after",
    "lost_ephemeral",
)


@dataclass
class Fault:
    """A rule: which calls, what happens to them, how often."""

    kind: str
    method: str = "*"
    chat: int = 0  # 0: any
    person: int = 0  # lost_ephemeral: whom; 0: anybody
    text: str = ""  # the description of a refusal
    seconds: float = 1.0  # retry_after, or how slow
    skip: int = 0  # let so many matching calls through first
    times: int = 1  # how often; 0: until it is taken away
    share: float = 1.0  # of the matching calls
    seed: int = 0
    id: int = 0
    met: int = 0
    done: int = 0
    dice: random.Random = field(default_factory=random.Random, repr=False)

    def shape(self) -> dict[str, Any]:
        """As the control API shows it."""
        shape = asdict(self)
        del shape["dice"]
        return shape


class Faults:
    """The rules that hold now."""

    def __init__(self) -> None:
        self.rules: list[Fault] = []
        self._count = 0

    def add(self, given: dict[str, Any]) -> Fault:
        """A new rule."""
        known = set(Fault.__dataclass_fields__) - {"id", "met", "done", "dice"}
        given = {**given, "kind": str(given.get("kind", ""))}
        unknown = sorted(set(given) - known)
        if unknown:
            raise Mistake(f"a fault has no {', '.join(unknown)}; it has {', '.join(sorted(known))}")
        if given["kind"] not in KINDS:
            raise Mistake(f"kind is one of {', '.join(KINDS)}")
        self._count += 1
        fault = Fault(**given)
        fault.id, fault.dice = self._count, random.Random(fault.seed or self._count)
        self.rules.append(fault)
        return fault

    def _hits(self, fault: Fault) -> bool:
        fault.met += 1
        if fault.met <= fault.skip or (fault.times and fault.done >= fault.times):
            return False
        if fault.share < 1 and fault.dice.random() >= fault.share:
            return False
        fault.done += 1
        return True

    def strike(self, method: str, chat: int) -> Fault | None:
        """The fault that this call meets, if it meets one."""
        for fault in self.rules:
            if (
                fault.kind != "lost_ephemeral"
                and fnmatch.fnmatchcase(method.lower(), fault.method.lower())
                and fault.chat in (0, chat)
                and self._hits(fault)
            ):
                return fault
        return None

    def loses(self, chat: int, person: int) -> bool:
        """Whether an ephemeral message to that person gets lost."""
        return any(
            f.kind == "lost_ephemeral" and f.chat in (0, chat) and f.person in (0, person) and self._hits(f)
            for f in self.rules
        )


_WORDS = {"403": "bot was blocked by the user", "400": "chat not found", "500": "restart"}


def refusal(fault: Fault) -> Refused | None:
    """The refusal a fault means; None if it is none that the API itself words."""
    if fault.kind == "429":
        seconds = max(1, int(fault.seconds))
        return Refused(429, f"retry after {seconds}", retry_after=seconds)
    if fault.kind in ("400", "401", "403"):
        return Refused(int(fault.kind), fault.text or _WORDS.get(fault.kind, ""))
    if fault.kind == "500" and not fault.text.startswith("<"):
        return Refused(500, fault.text or _WORDS["500"])
    return None


def gateway_page(fault: Fault) -> bytes:
    """The HTML that a gateway sends in place of JSON."""
    name = {"500": "Internal Server Error", "502": "Bad Gateway", "504": "Gateway Time-out"}[fault.kind]
    title = f"{fault.kind} {name}"
    page = (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
        "<hr><center>nginx/1.20.1</center>\r\n</body>\r\n</html>\r\n"
    )
    return (fault.text or page).encode()
