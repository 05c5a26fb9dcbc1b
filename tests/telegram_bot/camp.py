"""A group at the bot's door: updates go in, replies and wanted screens come out. The store is real, no wire is near."""

from __future__ import annotations

import contextlib
import html
import itertools
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace
from sqlalchemy import text
from telegram.request import BaseRequest

import core
from db import clock as the_clock
from db.records import ByGame, Event, GameRow, ScreenRow, Wanted
from db.screens import Desk
from db.store import Store
from playground.text import formatted, utf16
from telegram_bot import play
from telegram_bot.clock import Clock
from telegram_bot.door import Door
from telegram_bot.router import App

Data = dict[str, Any]
Reply = dict[str, Any] | None

BOT = {"id": 1000, "is_bot": True, "first_name": "Stay Away!", "username": "stay_away_bot"}
GROUP = -100500
TOAST, ALERT = "toast", "alert"


class FarEnd(BaseRequest):
    """Telegram's far end: who the bot is, who is an administrator where, and what is said aside, to one member.

    *ephemeral*: "refused" as long as a test does not want otherwise; "shown"; or "unknown" to an older server, which
    posts to the group. *troubles* are what the next calls meet that say something: an error to raise, or the status and
    body of an answer. *said* are those calls; *edits* the menus that a press has
    edited at once. *bot_member* is what the bot itself is in the group. *all_may*: what the group lets all members do.
    *rested*: for how long answers waited.
    """

    def __init__(self) -> None:
        self.administrators: set[int] = set()
        self.calls: list[str] = []
        self.ephemeral = "refused"
        self.troubles: list[Exception | tuple[int, bytes]] = []
        self.said: list[tuple[str, Data]] = []
        self.edits: list[Data] = []
        self.bot_member: Data = {"status": "member"}
        self.rested: list[float] = []
        self.all_may: Data = {"can_send_messages": True, "can_pin_messages": False}
        self._numbers = itertools.count(501)

    async def rest(self, seconds: float) -> None:
        self.rested.append(seconds)

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    @property
    def read_timeout(self) -> float:
        return 5.0

    async def do_request(self, url: str, method: str, request_data: Any = None, **timeouts: Any) -> tuple[int, bytes]:
        called = url.rpartition("/")[2]
        self.calls.append(called)
        match called:
            case "getMe":
                result: Data = BOT
            case "getChatMember":
                person = int(request_data.parameters["user_id"])
                if person == BOT["id"]:
                    return 200, json.dumps({"ok": True, "result": self.bot_member | {"user": BOT}}).encode()
                status = "administrator" if person in self.administrators else "member"
                result = {"status": status, "user": user(person, "Somebody")} | (
                    ADMINISTERS if status != "member" else {}
                )
            case "getChat":
                result = ALL_ABOUT_A_GROUP | {"permissions": self.all_may}
            case "sendMessage" | "editEphemeralMessageText" | "deleteMessage":
                return self._say(called, request_data.parameters)
            case "editMessageText":
                self.edits.append(request_data.parameters)
                result = True
            case _:
                raise AssertionError(f"nothing else is called at the door, but {called} was")
        return 200, json.dumps({"ok": True, "result": result}).encode()

    def _say(self, called: str, given: Data) -> tuple[int, bytes]:
        self.said.append((called, given))
        if self.troubles:
            trouble = self.troubles.pop(0)
            if isinstance(trouble, Exception):
                raise trouble
            return trouble
        if self.ephemeral == "refused":
            return refusal(400, "Bad Request: BOT_NOT_ADMIN")
        result: Any = True
        if called == "sendMessage":
            result = {"message_id": 77, "date": 1_790_000_000, "chat": {"id": given["chat_id"], "type": "supergroup"}}
            if self.ephemeral == "shown" and "ephemeral_message_parameters" in given:
                result |= {"message_id": 0, "ephemeral_message_id": next(self._numbers)}
        elif called == "editEphemeralMessageText" and self.ephemeral == "unknown":
            return refusal(404, "Not Found: method not found")
        return 200, json.dumps({"ok": True, "result": result}).encode()


def refusal(code: int, description: str, **parameters: Any) -> tuple[int, bytes]:
    """An answer that is no "ok", as Telegram writes it."""
    answer: Data = {"ok": False, "error_code": code, "description": description}
    return code, json.dumps(answer | ({"parameters": parameters} if parameters else {})).encode()


ADMINISTERS = dict.fromkeys(
    (
        "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members"
        " can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories"
    ).split(),
    False,
)


ALL_ABOUT_A_GROUP: Data = {
    "id": GROUP,
    "type": "supergroup",
    "title": "The camp",
    "accent_color_id": 0,
    "max_reaction_count": 11,
    "accepted_gift_types": dict.fromkeys(
        "unlimited_gifts limited_gifts unique_gifts premium_subscription gifts_from_channels".split(), False
    ),
}


def user(number: int, name: str, **more: Any) -> Data:
    return {"id": number, "is_bot": False, "first_name": name, **more}


class Camp:
    """A group and whoever writes and presses there. `at` is the place: chat and topic."""

    def __init__(self, store: Store, app: App, far_end: FarEnd, url: str) -> None:
        self.store = store
        self.clock = Clock(store)
        self.door = Door(app, store, self.clock)
        self.door.gate._now = itertools.count().__next__  # whoever presses here takes a second for it
        self.far_end = far_end
        self.url = url
        self.people: dict[str, Data] = {}
        self.place = (GROUP, 0)
        self.game_id = 0
        self._numbers = itertools.count(1)

    # --- people and what they do ---

    def person(self, name: str, **more: Any) -> Data:
        """Somebody of that first name; always the same."""
        if name not in self.people:
            self.people[name] = user(9001 + len(self.people), name, **more)
        return self.people[name]

    async def take(self, **kind: Any) -> Reply:
        """An update at the door, and a reply that Telegram would take."""
        reply = await self.door({"update_id": next(self._numbers), **kind})
        if reply is not None and reply["method"] == "sendMessage":
            formatted(reply["text"], reply["parse_mode"])
        elif reply is not None:
            assert utf16(reply.get("text", "")) <= 200
        return reply

    def message(self, who: Data | str | None, words: str, private: bool = False, **more: Any) -> Data:
        sender = self.person(who) if isinstance(who, str) else who
        chat, topic = self.place
        message: Data = {"message_id": next(self._numbers), "date": 1_790_000_000, "text": words}
        if sender is not None:
            message["from"] = sender
        if private:
            assert sender is not None
            message["chat"] = {"id": sender["id"], "type": "private", "first_name": sender["first_name"]}
        else:
            message["chat"] = {"id": chat, "type": "supergroup", "title": "The camp"}
            if topic:
                message |= {"message_thread_id": topic, "is_topic_message": True}
        if words.startswith("/"):
            length = len(words.split()[0])
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": length}]
        return message | more

    async def write(self, who: Data | str | None, words: str, private: bool = False, **more: Any) -> Reply:
        """A message of the group, or to the bot alone."""
        reply = await self.take(message=self.message(who, words, private, **more))
        await self._look()
        return reply

    async def open_private_chats(self, *names: str) -> None:
        for name in names:
            await self.write(name, "/start", private=True)

    async def press_data(self, who: Data | str, data: str | None, chat: int | None = None, **more: Any) -> Reply:
        """A press on a button with that data, in the group or in another chat."""
        presser = self.person(who) if isinstance(who, str) else who
        kind = "private" if chat == presser["id"] else "supergroup"
        place: Data = {"id": GROUP if chat is None else chat, "type": kind} | (
            {"title": "The camp"} if kind != "private" else {}
        )
        if chat is None:
            place["id"] = self.place[0]
        query: Data = {
            "id": str(next(self._numbers)),
            "from": presser,
            "chat_instance": "1",
            "message": {"message_id": 1, "date": 1_790_000_000, "chat": place, "text": "..."},
        }
        if data is not None:
            query["data"] = data
        reply = await self.take(callback_query=query | more)
        assert reply is None or reply["method"] == "answerCallbackQuery" and reply["callback_query_id"] == query["id"]
        await self._look()
        return reply

    async def press(self, who: str, button: str, kind: str = "lobby") -> str:
        """Press a button of a screen of the group; the toast."""
        return said(await self.press_data(who, data_of(await self.screen(kind), button)))

    async def press_hand(self, who: str, button: str) -> str:
        """Press a button of the own hand; the toast."""
        person = self.person(who)["id"]
        return said(await self.press_data(who, data_of(await self.hand(who), button), person))

    async def _look(self) -> None:
        """Which game is on here now."""
        async with self.store.engine.connect() as connection:
            row = await connection.execute(
                text("select max(id) from games where chat_id = :chat and thread_id = :topic"),
                {"chat": self.place[0], "topic": self.place[1]},
            )
            self.game_id = row.scalar_one() or 0

    def appoint(self, *names: str) -> None:
        """These people are administrators now, and nobody else."""
        self.far_end.administrators = {self.person(name)["id"] for name in names}

    # --- what there is ---

    async def game(self) -> GameRow:
        game = await self.store.game(self.game_id)
        assert game is not None
        return game

    async def step(self) -> core.Step:
        return play.standing(await self.game())

    def seat_of(self, game: GameRow, name: str) -> str:
        row = game.seat_of(self.person(name)["id"])
        assert row is not None
        return row.seat

    async def rows(self) -> dict[tuple[str, int], ScreenRow]:
        """All screens of the game that are not taken away."""
        return {(row.kind, row.receiver): row for row in await self.store.screens(self.game_id) if not row.gone}

    async def screen(self, kind: str) -> Wanted:
        return (await self.rows())[kind, 0].wanted

    async def has(self, kind: str, receiver: int = 0) -> bool:
        return (kind, receiver) in await self.rows()

    async def hand(self, who: str) -> Wanted:
        return (await self.rows())["panel", self.person(who)["id"]].wanted

    async def hand_row(self, who: str) -> ScreenRow:
        return (await self.rows())["panel", self.person(who)["id"]]

    async def events(self) -> list[Event]:
        return await self.store.events(self.game_id)

    async def tale(self) -> str:
        """The last tale."""
        tales = [row for (kind, _), row in (await self.rows()).items() if kind.startswith("turn ")]
        return plain(max(tales, key=lambda row: int(row.kind.split()[1])).wanted.text)

    async def everything(self) -> dict[str, Any]:
        """All that a press could change: the game, its screens, its log."""
        game = await self.game()
        # When somebody looked at the hand last is kept, for reminders; it is nothing that anybody sees.
        game = replace(game, memo={name: kept for name, kept in game.memo.items() if name != "acted"})
        rows = {key: (row.wanted, row.post, row.gone) for key, row in (await self.rows()).items()}
        return {
            "game": SimpleNamespace(
                **{name: getattr(game, name) for name in game.__struct_fields__ if name != "touched_at"}
            ),
            "screens": rows,
            "answers": len(await self.store.answers(self.game_id)),
        }

    async def failures(self) -> int:
        return len(await self.store.failures(all=True))

    # --- time ---

    async def forward(self, seconds: float) -> None:
        """Time passes, and the clock rings for what fell due."""
        the_clock.move(self.url, seconds)
        await self.clock.tick()

    @contextlib.asynccontextmanager
    async def desk(self) -> AsyncIterator[Desk]:
        """The sender's half of the store, for what a sender meets."""
        desk = await Desk.open(self.store.url, lambda: None)
        try:
            yield desk
        finally:
            await desk.close()

    # --- games ---

    async def gather(self, *names: str, private: bool = True) -> None:
        """A lobby of these people; the first one opens it."""
        if private:
            await self.open_private_chats(*names)
        await self.write(names[0], "/newgame")
        for name in names[1:]:
            await self.press(name, "Join / leave")

    async def begin(self, *names: str, private: bool = True) -> None:
        """A game of these people has begun."""
        await self.gather(*names, private=private)
        await self.press(names[0], f"Start with {len(names)}")
        assert (await self.game()).status == "playing"

    async def lay(
        self,
        hands: Mapping[str, Sequence[str]],
        deck: Sequence[str],
        options: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """The game in play stands at this table, by names, as in a scenario: whoever is named first is on turn."""
        game = await self.game()
        seats = {name: self.seat_of(game, name) for name in hands}

        def by_seat(value: Any) -> Any:
            if isinstance(value, dict):
                return {seats.get(key, key): by_seat(part) for key, part in value.items()}
            if isinstance(value, list):
                return [by_seat(part) for part in value]
            return seats.get(value, value)

        data = {
            "title": "a table",
            "seats": list(seats.values()),
            "hands": {seats[name]: list(hand) for name, hand in hands.items()},
            "deck": [*deck, *["Whisky"] * 8],
            "options": dict(options or {}),
            **by_seat(more),
        }
        table = core.scenario.lay_table(data, "seed")
        async with self.store.press(update_id=None, find=ByGame(self.game_id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, turn_start=core.freeze(table), answers=(), digest="")
            play.begin_turn_again(unit)

    async def answer(self, who: str, *choice: str) -> None:
        """An answer, in the words of the core, without a panel."""
        async with self.store.press(update_id=None, find=ByGame(self.game_id)) as unit:
            assert unit.game is not None
            play.answer(unit, self.seat_of(unit.game, who), self.in_seats(unit.game, choice), "player")

    def in_seats(self, game: GameRow, words: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.seat_of(game, word) if word in self.people else word for word in words)


# --- reading ---


def said(reply: Reply) -> str:
    """What a press was answered: the toast or alert, "" for an empty answer."""
    assert reply is not None, "a query without an answer spins for ever"
    return str(reply.get("text", ""))


def buttons(wanted: Wanted) -> list[str]:
    """What the buttons of a screen say, row by row, without isolates."""
    return [bare(one.text) for row in wanted.rows for one in row]


def data_of(wanted: Wanted, button: str) -> str:
    found = [one.data for row in wanted.rows for one in row if bare(one.text) == button and one.data]
    assert len(found) == 1, f"{button!r} is not one of {buttons(wanted)}"
    return str(found[0])


def bare(words: str) -> str:
    return words.replace("\u2068", "").replace("\u2069", "")


def plain(words: str) -> str:
    """The text of HTML as a reader sees it."""
    return bare(html.unescape(re.sub(r"<[^>]*>", "", words)))
