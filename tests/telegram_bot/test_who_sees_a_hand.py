"""Whatever people do with seats and hands, in whatever order: a hand is shown to who plays it, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from db.records import GameRow, Wanted
from telegram_bot import panel, private, screens, seats
from tests.telegram_bot.camp import BOT, Camp, Reply
from tests.telegram_bot.test_absent import deadline, set_row
from tests.telegram_bot.test_private import aside, ephemeral_command

PLAYERS, OTHERS = ("Ann", "Bob", "Cid", "Dan", "Fee"), ("Eve", "Gus")
COMMANDS = (
    "/leave", "/join", "/back", "/holiday 3h", "/nudge", "/blame", "/recap", "/pause", "/resume", "/resume", "/doctor",
    "/extend", "/status", "/games", "/hand",
)  # fmt: skip
SIGNED = re.compile(r"§(s\d+)§")


@pytest.fixture(autouse=True)
def _signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever tells of a hand is signed with its seat; the page for an owner whose seat is taken tells of none."""
    page, alert, away = panel._page, screens.hand_alert, panel.away

    def signed_page(at: panel.Desk, *more: Any) -> Wanted:
        wanted = page(at, *more)
        return replace(wanted, text=f"{wanted.text}§{at.seat}§")

    def unsigned(at: panel.Desk) -> Wanted:
        wanted = away(at)
        return replace(wanted, text=SIGNED.sub("", wanted.text))

    monkeypatch.setattr(panel, "_page", signed_page)
    monkeypatch.setattr(panel, "away", unsigned)
    monkeypatch.setattr(screens, "hand_alert", lambda game, view: f"§{view.seat}§{alert(game, view)}"[:200])


def who_may_see(game: GameRow, seat: str) -> set[int | None]:
    row = game.seat(seat)
    assert row is not None
    return {seats.reader_of(row)} if game.open else {row.person, row.sitter}


async def shown(camp: Camp, presser: int, reply: Reply) -> list[tuple[int, str]]:
    """Everything that was shown just now or stands in a chat: to whom (0: the group), and the text."""
    found = [(receiver, row.wanted.text) for (_, receiver), row in (await camp.rows()).items()]
    for call in [*(call for _, call in camp.far_end.said), *([reply] if reply else [])]:
        if "callback_query_id" in call:
            to = presser
        else:
            to = call.get("receiver_user_id") or call.get("ephemeral_message_parameters", {}).get("receiver_user_id", 0)
            to = to or max(0, int(call["chat_id"]))
        found.append((to, call.get("text", "")))
    return found


class Crowd:
    """People who do anything at all."""

    def __init__(self, camp: Camp, dice: Random) -> None:
        self.camp, self.dice = camp, dice
        self.pressed: list[str] = []

    async def do_something(self, who: str) -> Reply:
        deeds: dict[Callable[[str], Any], int] = {
            self.press_in_the_group: 8, self.press_the_own_hand: 8, self.press_what_was_there: 3, self.write: 6,
            self.ask_for_the_hand: 4, self.let_time_pass: 7, self.have_no_excuse: 5, self.come_or_go: 1, self.block: 1,
        }  # fmt: skip
        (deed,) = self.dice.choices(list(deeds), list(deeds.values()))
        reply: Reply = await deed(who)
        return reply

    async def _press(self, who: str, buttons: Iterator[str | None], in_private: bool) -> Reply:
        found = [one for one in buttons if one and ".declare" not in one]
        if not found:
            return None
        self.pressed.append(data := self.dice.choice(found))
        if in_private:
            return await self.camp.press_data(who, data, self.camp.person(who)["id"])
        return await self.camp.press_data(who, data, message=aside())

    async def press_in_the_group(self, who: str) -> Reply:
        rows = [row for (_, receiver), row in (await self.camp.rows()).items() if not receiver]
        return await self._press(who, (one.data for row in rows for line in row.wanted.rows for one in line), False)

    async def press_the_own_hand(self, who: str) -> Reply:
        row = (await self.camp.rows()).get((private.PANEL, self.camp.person(who)["id"]))
        lines = row.wanted.rows if row is not None else ()
        return await self._press(who, (one.data for line in lines for one in line), self.dice.random() < 0.5)

    async def press_what_was_there(self, who: str) -> Reply:
        """A button of before, perhaps of another's hand."""
        return await self._press(who, iter(self.pressed), self.dice.random() < 0.5)

    async def write(self, who: str) -> Reply:
        return await self.camp.write(who, self.dice.choice(COMMANDS), **self.dice.choice([{}, ephemeral_command()]))

    async def ask_for_the_hand(self, who: str) -> Reply:
        words = self.dice.choice(["/hand", "/games", f"/start g{self.camp.game_id}"])
        return await self.camp.write(who, words, private=True)

    async def let_time_pass(self, who: str) -> None:
        is_late = self.dice.random() < 0.5 and (await self.camp.game()).status == "playing"
        if is_late and any(timer.kind == "deadline" for timer in (await self.camp.game()).timers):
            await self.camp.forward(max(0.0, await deadline(self.camp)) + 1)
        else:
            await self.camp.forward(self.dice.choice([3, 30, 600, 4000]))

    async def have_no_excuse(self, who: str) -> None:
        await set_row(self.camp, self.dice.choice(PLAYERS), excuses=self.dice.choice([0, 1]), missed_at=0.0)

    async def come_or_go(self, who: str) -> Reply:
        message, person = self.camp.message(who, ""), self.camp.person(who)
        del message["text"]
        moved = self.dice.choice([{"left_chat_member": person}, {"new_chat_members": [person]}])
        return await self.camp.take(message=message | moved)

    async def block(self, who: str) -> Reply:
        person = self.camp.person(who)
        now = self.dice.choice([{"status": "kicked", "until_date": 0}, {"status": "member"}])
        chat = {"id": person["id"], "type": "private", "first_name": who}
        changed = {"old_chat_member": {"user": BOT, "status": "member"}, "new_chat_member": {"user": BOT} | now}
        return await self.camp.take(my_chat_member={"chat": chat, "from": person, "date": 1_790_000_000} | changed)


@pytest.mark.parametrize("seed", range(3))
async def test_a_hand_is_shown_to_who_plays_it_whatever_people_do(camp: Camp, seed: int) -> None:
    dice = Random(seed)
    crowd = Crowd(camp, dice)
    await camp.open_private_chats("Ann", "Bob", "Eve")
    await camp.begin(*PLAYERS, private=False)
    told = 0
    for _ in range(150):
        if not (await camp.game()).open:
            break
        who = dice.choice(PLAYERS + OTHERS * 2)
        camp.far_end.ephemeral = dice.choice(["shown", "shown", "refused"])
        camp.far_end.said.clear()
        reply = await crowd.do_something(who)
        game = await camp.game()
        for to, text in await shown(camp, camp.person(who)["id"], reply):
            for seat in SIGNED.findall(text):
                assert to in who_may_see(game, seat), f"{who} {crowd.pressed[-3:]}: {text}"
                told += 1
    assert told > 100
