"""Every private text goes out here, and none can go out publicly (DESIGN.md 5, field/telegram.md 0.3 and 1.5).

Three roads lead to a person. The *private chat* is durable, and the only one that rings. An *ephemeral message* is seen
by one member of a group, inside the group: it comes within 15 seconds of a press (or of an ephemeral command), before
the query is closed, is edited by every further press, and may get lost. An *alert* answers a press where neither came.

`place` puts a text into the private chat as a screen. `call` is the one function that makes a call of the Bot API out
of a private text: each road has its own form of it, and none of the forms has a public reading. Whoever else in this
package writes `show_alert` or asks for an ephemeral message fails a test.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import logging
import re
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace
from telegram import Bot, CallbackQuery, TelegramObject
from telegram.error import BadRequest, EndPointNotFound, Forbidden, RetryAfter, TelegramError

from db.records import Button, RoadHere, Wanted
from db.store import Away, Store, Unit
from telegram_bot.errors import told
from telegram_bot.texts import say_plain

log = logging.getLogger(__name__)

PANEL = "panel"  # the screen of a hand

LONGEST = 1000  # characters; an ephemeral message takes no edit of more than 1,024 (telegram-bot-api#881)
PATIENCE = 8.0  # seconds after a press: later an alert is better than a panel that may not come
AGAIN = timedelta(hours=1)  # a road that was refused for good is tried again
OLD_SERVER = timedelta(days=1)  # and so is a server that knows no ephemeral messages
# The time in which somebody asks again who did not see what was sent. Who has pressed something on an ephemeral message
# has an app that shows them; who never has may well have none, and looks for the hand for longer.
UNSEEN, NEVER_SEEN = timedelta(seconds=30), timedelta(minutes=2)
BUSY = 18  # a group in which so much was said in a minute, where Telegram counts what is said aside: 20 are allowed


# --- the private chat, by a screen ---


def place(unit: Unit, person: int, wanted: Wanted, *, ring: bool = False, anew: bool = False) -> None:
    """The panel of a person in the private chat; the store gives it its chat, and the database checks that."""
    (unit.post_anew if anew else unit.show)(PANEL, replace(wanted, ring=ring), _a_person(person))


def tell(unit: Unit, person: int, kind: str, wanted: Wanted) -> None:
    """Something else in the private chat of a person, as a screen of its *kind*."""
    unit.show(kind, wanted, _a_person(person))


# --- the roads, and the one call for each ---


class Chat(NamedTuple):
    """The person's own chat with the bot."""


class Press(NamedTuple):
    """A new ephemeral message in a group, in answer to a press there."""

    chat_id: int
    thread_id: int
    query: str


class Command(NamedTuple):
    """A new ephemeral message in a group, in answer to an ephemeral command."""

    chat_id: int
    thread_id: int
    message: int


class Shown(NamedTuple):
    """An ephemeral message that is there already: it is edited, or opened *anew* where Telegram has forgotten it."""

    chat_id: int
    message: int
    anew: Press | None = None


class Box(NamedTuple):
    """The alert that answers a press, and closes the query."""

    query: str


Road: TypeAlias = Chat | Press | Command | Shown | Box
Call: TypeAlias = dict[str, Any]


def call(person: int, wanted: Wanted, road: Road) -> Call:
    """The call of the Bot API that shows a private text to *person*, and to nobody else, whatever the road."""
    _a_person(person)
    match road:
        case Chat():
            return {"method": "sendMessage", "chat_id": person} | _body(wanted)
        case Press(chat_id, thread_id, query):
            to = {"receiver_user_id": person, "callback_query_id": query}
            return _aside(chat_id, thread_id, to) | _body(wanted)
        case Command(chat_id, thread_id, message):
            answers = {"reply_parameters": {"ephemeral_message_id": message}}
            return _aside(chat_id, thread_id, {"receiver_user_id": person}) | answers | _body(wanted)
        case Shown(chat_id, message, _):
            edited = {"chat_id": chat_id, "receiver_user_id": person, "ephemeral_message_id": message}
            return {"method": "editEphemeralMessageText"} | edited | _body(replace(wanted, protect=False))
        case Box(query):
            shown = {"text": wanted.text[:200], "show_alert": True}
            return {"method": "answerCallbackQuery", "callback_query_id": query} | shown
    raise AssertionError(road)


def _a_person(number: int) -> int:
    if number <= 0:  # a person's id is positive, a group's negative (field/telegram.md 1.3)
        raise ValueError("a private text goes to a person")
    return number


def _aside(chat_id: int, thread_id: int, to: Call) -> Call:
    said: Call = {"method": "sendMessage", "chat_id": chat_id, "ephemeral_message_parameters": to}
    return said | ({"message_thread_id": thread_id} if thread_id > 1 else {})  # General has no number


def _body(wanted: Wanted) -> Call:
    body: Call = {"text": wanted.text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    if wanted.protect:
        body["protect_content"] = True
    if wanted.rows:
        body["reply_markup"] = {"inline_keyboard": [[_button(one) for one in row] for row in wanted.rows]}
    return body


def _button(one: Button) -> Call:
    return {"text": one.text} | ({"url": one.url} if one.url else {"callback_data": one.data})


def message(person: int, text: str, rows: tuple[tuple[Button, ...], ...] = ()) -> Call:
    """A text that belongs to no game, in the private chat: the answer to what was written there."""
    return call(person, Wanted(text=str(text), rows=rows), Chat())


def alert(query: CallbackQuery, text: str) -> Call:
    """A box that its reader closes."""
    return call(query.from_user.id, Wanted(text=text), Box(query.id))


def ephemeral_id(of: object) -> int | None:
    """The number of an ephemeral message; None for every other. python-telegram-bot 22.8 does not know it by name."""
    number = of.api_kwargs.get("ephemeral_message_id") if isinstance(of, TelegramObject) else None
    return number if type(number) is int and number > 0 else None


def length(text: str) -> int:
    """How long a text in HTML is to Telegram, counted as it counts places in a text: an emoji is two."""
    return len(html.unescape(re.sub(r"<[^>]*>", "", text)).encode("utf-16-le")) // 2


# --- the ephemeral road ---


class Aside(NamedTuple):
    """A page for one member of a group, made in a press and sent after its commit.

    *page*: None where there is nothing but the *alert* to show. The alert says the same in 200 characters. *road* is
    what was known of this person's road at *now*; *is_open*: whether the private chat is. *button*: what was pressed
    for it on the board ("hand", "say").
    """

    person: int
    chat_id: int
    thread_id: int
    page: Wanted | None
    alert: str
    toast: str
    road: RoadHere
    now: datetime
    is_open: bool
    button: str = "hand"

    @property
    def may_try(self) -> bool:
        """Whether an ephemeral message has a chance: what was refused for good is tried again after `AGAIN`."""
        known = self.road
        refused = known.road in ("private", "alert") and known.at is not None and self.now - known.at < AGAIN
        return self.page is not None and not refused and not known.flooded

    def answering(self, query: CallbackQuery) -> Road:
        """The road on which a press is answered: on the ephemeral message that was pressed, or on a new one."""
        shown, anew = ephemeral_id(query.message), Press(self.chat_id, self.thread_id, query.id)
        return anew if shown is None else Shown(self.chat_id, shown, anew)

    def following(self, command: int) -> Road:
        """The road on which an ephemeral command is answered."""
        return Command(self.chat_id, self.thread_id, command)


class Asides:
    """Shows ephemeral messages, and remembers by which road a person was reached."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._proven = False
        self._is_old: datetime | None = None  # when the server was found to know no ephemeral messages
        # Whether ephemeral messages count as messages to the group is not said (field/telegram.md 1.2). Until Telegram
        # has complained of one, they are as many as people press.
        self._counted = False
        # To whom a message was sent in which place (in this process; the oldest are forgotten).
        self._sent: OrderedDict[tuple[int, int, int], Sent] = OrderedDict()

    async def show(self, bot: Bot, aside: Aside, road: Road, since: float) -> bool:
        """Show a page in the group to one person, at most `PATIENCE` after *since* (the loop's clock); whether it came.

        That a message was taken does not say that it was seen: an app may be old, or offline. Who asks for the same
        again, and has pressed nothing on the last, has not seen it: then it is sent once more, and the answer is no.
        """
        late = asyncio.get_running_loop().time() > since + PATIENCE
        is_old = self._is_old is not None and aside.now - self._is_old < OLD_SERVER
        if aside.page is None or not aside.may_try or late or is_old:
            return False
        if self._counted and aside.road.said > BUSY:
            return False
        try:
            async with asyncio.timeout_at(since + PATIENCE):
                await self._show(bot, aside.person, aside.page, road)
        except Exception as error:
            await self._failed(aside, error)
            return "not modified" in str(error).lower()
        if aside.road.road != "ephemeral":
            await self._remember(aside, "ephemeral")
        return self._seems_seen(aside, road)

    def _seems_seen(self, aside: Aside, road: Road) -> bool:
        place = aside.person, aside.chat_id, aside.thread_id
        last = self._sent.pop(place, Sent())
        is_pressed = isinstance(road, Shown)
        self._sent[place] = Sent(None if is_pressed else aside.now, last.shows or is_pressed, aside.button)
        if len(self._sent) > 1000:
            self._sent.popitem(last=False)
        patience = UNSEEN if last.shows or isinstance(road, Command) else NEVER_SEEN
        return is_pressed or last.at is None or last.button != aside.button or aside.now - last.at > patience

    async def _show(self, bot: Bot, person: int, page: Wanted, road: Road) -> None:
        """One call; before the first message of this process one more, for a server older than Bot API 10.3 would not
        know what ephemeral means, and post what it is given to the group. So it is given nothing but a harmless line
        until one has come back as ephemeral; the hand is then an edit, which such a server does not know at all."""
        if isinstance(road, Shown):
            try:
                await _edit(bot, person, page, road)
            except BadRequest as error:
                if road.anew is None or not _says(error, _FORGOTTEN):
                    raise
                await self._show(bot, person, page, road.anew)
        elif self._proven:
            await self._post(bot, person, page, road)
        else:
            opening = Wanted(text=say_plain("panel.opening"), protect=page.protect)
            number = await self._post(bot, person, opening, road)
            self._proven = True
            assert isinstance(road, (Press, Command))
            await _edit(bot, person, page, Shown(road.chat_id, number))

    async def _post(self, bot: Bot, person: int, page: Wanted, road: Road) -> int:
        given = call(person, page, road)
        chat_id, text = given.pop("chat_id"), given.pop("text")
        del given["method"]
        posted = await bot.send_message(chat_id, text, api_kwargs=given)
        number = ephemeral_id(posted)
        if number is None or posted.message_id:
            self._proven = False
            with contextlib.suppress(TelegramError):
                await bot.delete_message(chat_id, posted.message_id)
            raise Public
        return number

    async def _failed(self, aside: Aside, error: Exception) -> None:
        """What a refusal means for the next time; all others mean nothing. Where the road has worked before, one
        refusal of an unknown kind does not close it."""
        if isinstance(error, RetryAfter):
            wait = error.retry_after
            seconds = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
            self._counted = True
            with contextlib.suppress(Away):
                await self.store.flooded(aside.chat_id, seconds)
        elif isinstance(error, Public) or isinstance(error, EndPointNotFound) and not self._proven:
            log.info("the server knows no ephemeral messages: %s", type(error).__name__)
            self._is_old = aside.now
            await self._remember(aside, "private" if aside.is_open else "alert")
        elif _is_for_good(error) and aside.road.road != "ephemeral":
            log.info("no ephemeral messages to a member of group %d: %s", aside.chat_id, type(error).__name__)
            await self._remember(aside, "private" if aside.is_open else "alert")
        elif not isinstance(error, (TelegramError, TimeoutError)):
            log.error("a mistake of ours kept a hand from being shown: %s", told(error))

    async def _remember(self, aside: Aside, road: str) -> None:
        with contextlib.suppress(Away):  # the press is done, and was answered
            await self.store.took_road(aside.person, aside.chat_id, road)


class Sent(NamedTuple):
    """When the last message went to somebody, unless something on it was pressed; whether something ever was on any, so
    that their app *shows* such messages; and the *button* it answered: who asks for something else repeats nothing."""

    at: datetime | None = None
    shows: bool = False
    button: str = ""


class Public(Exception):
    """The server knows no ephemeral messages: it posted to the group what was for one person (and was harmless)."""


async def _edit(bot: Bot, person: int, page: Wanted, road: Shown) -> None:
    given = call(person, page, road)
    await bot.do_api_request(given.pop("method"), given)


# Refusals that concern this message, this press or this moment; the next may come. Telegram's words for all others are
# not known (field/telegram.md 4.4), so they are taken to be for good.
_ONCE = (
    "not modified",
    "not found",
    "query is too old",
    "query_id_invalid",
    "message_id_invalid",
    "too_long",
    "too long",
    "can't parse",
    "upgraded to a supergroup",
    "topic_closed",
    "kicked",
    "not a member",
)


# And these mean that an ephemeral message is not there any more: such messages are not durable.
_FORGOTTEN = ("not found", "message_id_invalid", "can't be edited")


def _is_for_good(error: Exception) -> bool:
    return isinstance(error, (BadRequest, Forbidden)) and not _says(error, _ONCE)


def _says(error: Exception, words: tuple[str, ...]) -> bool:
    said = str(error).lower()
    return any(one in said for one in words)
