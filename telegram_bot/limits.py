"""How fast we may speak: Telegram's limits, kept by ourselves before it has to (field/telegram.md 1.2).

Times are seconds of one clock that the caller reads (the sender: the database's), so that a test can let them pass.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import inf

MINUTE = 60.0


@dataclass(frozen=True)
class Limits:
    """What is allowed. `Limits.none()` lifts them all, for a bench."""

    #: A chat: calls a second, and how many at once after a silence.
    rate: float = 1.0
    burst: int = 3
    #: A group: sends and edits together in any minute (tdlib/td#2592).
    group_minute: int = 20
    #: Of these, so many are for new messages alone; an edit waits, and the next one takes its place.
    kept_for_new: int = 5
    #: Of these, so many at most are said beside the screens, as edits and as new messages count it: answers to commands
    #: (db.store.ASIDES), and ephemeral messages, of which it is not known whether they count. The game must go on.
    aside: int = 12
    aside_for_new: int = 16
    #: From so many a minute on, edits of a group come this far apart.
    calm: int = 10
    apart: float = 3.0
    #: All chats together, a second.
    overall: float = 28.0

    @classmethod
    def none(cls) -> Limits:
        return cls(rate=inf, burst=10**9, group_minute=10**9, kept_for_new=0, calm=10**9, overall=inf)


@dataclass
class Bucket:
    """Fills with *rate* drops a second up to *size*; every call takes one out."""

    rate: float
    size: float
    drops: float
    at: float

    def wait(self, now: float) -> float:
        """Seconds until there is a drop; 0.0 now."""
        if self.rate == inf:
            return 0.0
        if now > self.at:
            self.drops = min(self.size, self.drops + (now - self.at) * self.rate)
        self.at = now
        # Rounding must not leave the last millionth of a drop to be waited for.
        return 0.0 if self.drops >= 1 - 1e-6 else (1 - self.drops) / self.rate

    def take(self) -> None:
        """A call is made."""
        if self.rate != inf:
            self.drops -= 1


@dataclass
class Lane:
    """One chat: what was sent there, and when the next thing may be."""

    chat_id: int
    limits: Limits
    bucket: Bucket
    #: When the sends and edits of the last minute were answered, so that by Telegram's clock they are no later.
    sent: deque[float] = field(default_factory=deque)
    #: And when the presses of members were answered there with ephemeral messages.
    aside: tuple[float, ...] = ()
    blocked_until: float = 0.0
    failures: int = 0

    @classmethod
    def of(cls, chat_id: int, limits: Limits, now: float) -> Lane:
        """A chat of which nothing is known yet."""
        return cls(chat_id, limits, Bucket(limits.rate, limits.burst, limits.burst, now))

    @property
    def is_group(self) -> bool:
        """Whether the limits of groups hold here: ids of groups are negative (field/telegram.md 1.3)."""
        return self.chat_id < 0

    def wait(self, now: float, *, counts: bool, edit: bool) -> float:
        """Seconds until a call may be made here; 0.0 now.

        *counts*: a send or an edit (a deletion or a pin is no message). *edit*: it can wait, and be replaced by a later
        one, while new messages go first.
        """
        wait = max(self.blocked_until - now, self.bucket.wait(now))
        if not (counts and self.is_group):
            return max(wait, 0.0)
        while self.sent and self.sent[0] <= now - MINUTE:
            self.sent.popleft()
        most = self.limits.group_minute - (self.limits.kept_for_new if edit else 0)
        said = self.sent
        if aside := [at for at in self.aside if at > now - MINUTE]:
            counted = self.limits.aside if edit else self.limits.aside_for_new
            said = deque(sorted((*said, *aside[-counted:])))
            # What is said beside us now is let pass; very much of it does not silence us.
            if len(aside) <= self.limits.aside and (last := max((at for at in aside if at <= now), default=0.0)):
                wait = max(wait, last + 1 / self.limits.rate - now)
        if len(said) >= most:
            wait = max(wait, said[len(said) - most] + MINUTE - now)
        if edit and len(self.sent) >= self.limits.calm:
            wait = max(wait, self.sent[-1] + self.limits.apart - now)
        return max(wait, 0.0)

    def take(self) -> None:
        """A call is being made."""
        self.bucket.take()

    def answered(self, now: float) -> None:
        """A send or an edit was answered (or perhaps was)."""
        if self.is_group and self.limits.group_minute < 10**9:
            self.sent.append(now)

    def is_quiet(self, now: float) -> bool:
        """Whether nothing here has to be remembered any more."""
        return (
            self.blocked_until <= now
            and not self.failures
            and (not self.sent or self.sent[-1] <= now - MINUTE)
            and (self.limits.rate == inf or self.bucket.at + self.limits.burst / self.limits.rate <= now)
        )
