"""The record: calls, rings, updates; and what goes wrong on purpose."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from playground.errors import Mistake

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_number, as_yes, get, post


class Record(Base):
    """What was, and what shall go wrong."""

    # --- the record

    @get("/control/calls")
    async def calls(
        self, after: Any = 0, method: str = "", chat: Any = None, errors: Any = False, last: Any = None
    ) -> Data:
        """Every call the bot made: method, params, encoding, result or error, time."""
        number, there = as_number(after, "after"), self.chat(chat).id if chat not in (None, "") else None
        found = [
            e
            for e in self.playground.record.entries
            if e["n"] > number
            and e["what"] == "call"
            and (not method or e["method"].lower() == method.lower())
            and (not as_yes(errors) or not e["ok"])
            and (there is None or str(e["params"].get("chat_id")) == str(there))
        ]
        return {
            "calls": found[-as_number(last, "last") :] if last not in (None, "") else found,
            "n": self.playground.record.count,
        }

    @get("/control/traffic")
    async def traffic(self, after: Any = 0) -> Data:
        """Calls and deliveries in the order in which they came."""
        number = as_number(after, "after")
        return {
            "traffic": [e for e in self.playground.record.entries if e["n"] > number],
            "n": self.playground.record.count,
        }

    @get("/control/violations")
    async def violations(self) -> Data:
        """Calls that did not fit the schema (with --check-schema)."""
        return {"violations": self.playground.record.violations}

    @get("/control/rings")
    async def rings(self, person: Any = None, chat: Any = None, since: Any = 0) -> Data:
        """Whose phone rang, why, and whether with a sound: of messages after the event *since*."""
        who = self.person(person).id if person not in (None, "") else 0
        there = self.chat(chat).id if chat not in (None, "") else 0
        first = as_number(since, "since")
        chats = {id(c): c for c in [*self.world.chats.values(), *self.world.private.values()]}
        found = [
            {
                "chat": c.id,
                "message": m.id,
                "order": m.order,
                "at": m.date,
                "text": m.text,
                "person": r.user_id,
                "why": r.why,
                "sound": r.sound,
            }
            for c in chats.values()
            if there in (0, c.id)
            for m in c.messages.values()
            if m.seq > first
            for r in m.rings
            if who in (0, r.user_id)
        ]
        return {"rings": sorted(found, key=lambda r: r["order"]), "seq": self.world.seq}

    # --- updates

    @get("/control/updates")
    async def updates(self, last: Any = 200) -> Data:
        """The updates so far: kind, queue, attempts and what became of each."""
        return {
            "updates": [asdict(u) for u in list(self.world.updates)[-as_number(last, "last", 200) :]],
            "pending": {str(b.id): len(b.pending) for b in self.world.bots.values()},
        }

    @post("/control/updates")
    async def inject(self, update: Any = None, bot: Any = None, key: str = "") -> Data:
        """Give the bot an update of any shape; without an update_id it gets the next one."""
        if not isinstance(update, dict):
            raise Mistake("update is an object")
        kind = next((k for k in update if k != "update_id"), "nothing")
        number = update.get("update_id")
        made = self.world.enqueue(
            self.bot(bot),
            kind,
            key or f"injected {self.world.seq}",
            {k: v for k, v in update.items() if k != "update_id"},
            number,
        )
        return {"update_id": made.id}

    @post("/control/updates/{update}/repeat")
    async def repeat(self, update: Any, bot: Any = None) -> Data:
        """Deliver an update once more."""
        number = as_number(update, "update")
        old = next((u for u in reversed(self.world.updates) if u.id == number), None)
        if old is None:
            raise Mistake(f"there is no update {number}", 404)
        self.world.enqueue(self.bot(bot), old.kind, f"{old.key} again {self.world.seq}", old.payload, number)
        return {"update_id": number}

    @post("/control/updates/jump")
    async def jump(self, to: Any = None, bot: Any = None) -> Data:
        """Go on counting updates from another number, as Telegram does after a week without any."""
        chosen = self.bot(bot)
        chosen.next_update = as_number(to, "to") or self.world.random.randrange(1, 2**31 - 1)
        return {"next": chosen.next_update}

    @post("/control/updates/hold")
    async def hold(self) -> Data:
        """Deliver nothing for now."""
        self.playground.delivery.paused = True
        return {"held": True}

    @post("/control/updates/release")
    async def release(self) -> Data:
        """Deliver again."""
        self.playground.delivery.paused = False
        self.playground.delivery.kick()
        return {"held": False}

    # --- faults

    @get("/control/faults")
    async def faults(self) -> Data:
        """The faults that hold, and how often each struck."""
        return {"faults": [f.shape() for f in self.playground.faults.rules]}

    @post("/control/faults")
    async def add_fault(self, **given: Any) -> Data:
        """Make calls fail: kind, method, chat, text, seconds, skip, times, share, person."""
        for name in ("chat", "person"):
            if given.get(name):
                given[name] = (self.chat if name == "chat" else self.person)(given[name]).id
        return self.playground.faults.add(given).shape()

    @post("/control/faults/clear")
    async def clear_faults(self, id: Any = None) -> Data:
        """Take a fault away, or all."""
        rules = self.playground.faults.rules
        rules[:] = [f for f in rules if id not in (None, "") and f.id != as_number(id, "id")]
        return await self.faults()
