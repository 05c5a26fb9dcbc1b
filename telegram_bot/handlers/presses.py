"""Presses of buttons, room by room."""

from __future__ import annotations

import asyncio
import contextlib

from msgspec.structs import replace
from telegram import CallbackQuery, Update
from telegram.constants import ChatType
from telegram.error import TelegramError
from telegram.ext import ContextTypes

from db.records import Chat, Person
from db.store import ByGame, ByPlace, Nothing, Unit
from telegram_bot import (
    absent,
    callback,
    chronicle,
    gathering,
    hands,
    lobby,
    members,
    private,
    reply,
    screens,
    seats,
    settings,
    votes,
    waiting,
)
from telegram_bot.callback import Pressed
from telegram_bot.handlers.base import Handlers, is_admin, only_opener, only_starter
from telegram_bot.handlers.updates import GROUPS, chat_type_of, is_place, known
from telegram_bot.memo import memo_of
from telegram_bot.reply import Reply
from telegram_bot.texts import say_plain


class Presses(Handlers):
    """What a button does: in the lobby, on the board, a panel, the ending, a vote, the settings, an offer of a seat."""

    async def pressed(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        query = update.callback_query
        assert query is not None
        pressed = callback.read(query.data or "")
        if pressed is None:  # the bot never made this
            return reply.close(query)
        if query.from_user.is_bot:  # whoever is anonymous would share a seat with all who are
            return reply.toast(query, say_plain("toast.anonymous"))
        person = known(query.from_user, chat_type_of(query) == ChatType.PRIVATE)
        room = {
            "lobby": self._in_lobby,
            "board": self._on_board,
            "panel": self._on_panel,
            "ending": self._on_ending,
            "vote": self._on_vote,
            "settings": self._in_settings,
            "absent": self._on_absent,
        }
        answer = await room[pressed.room](update, context, query, pressed, person)
        return answer if answer is not None else reply.close(query)  # nothing is said to what belongs to no game here

    async def _shown(
        self, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, aside: private.Aside, since: float
    ) -> bool:
        """Whether an ephemeral message was shown; none is in the chat that a supergroup was before."""
        here = query.message is not None and query.message.chat.id == aside.chat_id
        return here and await self.asides.show(context.bot, aside, aside.answering(query), since)

    async def _in_lobby(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        rights = await self._query_rights(query, context, pressed.what in ("cancel", *STARTS))
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not is_place(game, query):
                return None
            if game.status != "lobby":
                return reply.toast(
                    query, say_plain("lobby_toast.started" if game.status == "playing" else "lobby_toast.gone")
                )
            if pressed.what == "cancel":
                told = lobby.call_off(unit, person.name) if rights.opened(unit) else only_opener(unit)
                return reply.toast(query, told)
            if pressed.what in STARTS:
                return reply.toast(query, _start_press(unit, pressed) if rights.starts(unit) else only_starter(unit))
            if pressed.what == "ready":
                return reply.toast(query, gathering.is_ready(unit, person.id))
            if pressed.what == "join":
                return reply.toast(query, lobby.join_or_leave(unit, person))
            if game.seat_of(person.id) is None and not lobby.may_decide(game, person.id):
                return reply.toast(query, say_plain("lobby_toast.only_members"))
            return reply.toast(query, _lobby_press(unit, pressed))

    async def _on_board(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        """My hand, in the group: the panel in an ephemeral message, else an alert; only the presser sees either."""
        since = asyncio.get_running_loop().time()
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not is_place(game, query):
                return None
            if pressed.what == "nudge":
                return reply.toast(query, screens.bare(waiting.nudge(unit, person.id)) if memo_of(game).asked else "")
            if pressed.what == "say":
                turned = hands.press(unit, person.id, Pressed("panel", game.id, "claims"), ())
                if turned.page is None:
                    return reply.toast(query, turned.toast)
                aside = self._aside(unit, person.id, turned)._replace(button="say")
            elif pressed.what == "hand":
                aside = self._aside(unit, person.id)
            else:
                return reply.close(query)
        if pressed.what == "say":
            return await self._answer_page(context, query, person, aside, since)
        return await self._answer_aside(context, query, aside, since)

    async def _answer_page(
        self,
        context: ContextTypes.DEFAULT_TYPE,
        query: CallbackQuery,
        person: Person,
        aside: private.Aside,
        since: float,
    ) -> Reply:
        """What is no hand (what could be said, the whole story) is read in the group, unseen by others, or else in the
        private chat."""
        if await self._shown(context, query, aside, since):
            return reply.close(query)
        game = callback.read(query.data or "")
        is_story = aside.button == "story"
        if not aside.is_open or aside.page is None or game is None:
            return private.alert(query, say_plain("chronicle.no_road" if is_story else "claims.no_road"))
        async with self.store.press(update_id=None, find=ByGame(game.game), person=person) as unit:
            if is_story:
                private.tell(unit, person.id, "story", aside.page)
            else:
                private.place(unit, person.id, aside.page, anew=True)
        return private.alert(query, say_plain("chronicle.in_private" if is_story else "claims.in_private"))

    async def _on_panel(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        """A button of a hand, in the private chat, or on an ephemeral message of the group, which shows what comes."""
        since = asyncio.get_running_loop().time()
        in_private = chat_type_of(query) == ChatType.PRIVATE
        log = await self.store.events(pressed.game, turns=hands.LOG) if pressed.what == "know" else []
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not (in_private or is_place(game, query)):
                return None
            turned = hands.press(unit, person.id, pressed, log)
            if in_private and turned.page is not None:
                private.place(unit, person.id, turned.page)
            if in_private or seats.seat_of(game, person.id) is None:
                return reply.toast(query, turned.toast)
            aside = self._aside(unit, person.id, turned)
        return await self._answer_aside(context, query, aside, since)

    async def _answer_aside(
        self, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, aside: private.Aside, since: float
    ) -> Reply:
        """The ephemeral message goes out before the query is closed, for that ends what may be said to it."""
        if await self._shown(context, query, aside, since):
            return reply.toast(query, aside.toast)
        return private.alert(query, aside.alert)

    async def _on_ending(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        if pressed.what == "again":
            return await self._rematch(update, query, pressed, person)
        if pressed.what == "story":
            return await self._story(update, context, query, pressed, person)
        return reply.close(query)

    async def _story(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """A page of what really happened, of a game that is over."""
        since = asyncio.get_running_loop().time()
        in_private = chat_type_of(query) == ChatType.PRIVATE
        log = await self.store.events(pressed.game)
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or game.open or not (in_private or is_place(game, query)):
                return reply.close(query)
            if in_private and seats.seat_of(game, person.id) is None:
                return reply.close(query)
            page = chronicle.page(game, log, pressed.number)
            if in_private:
                private.tell(unit, person.id, "story", page)
                return reply.close(query)
            if not self.measure.pages.passes(person.id, unit.now.timestamp()):
                return reply.close(query)
            aside = hands.reading(unit, person.id, page)
        return await self._answer_page(context, query, person, aside, since)

    async def _rematch(self, update: Update, query: CallbackQuery, pressed: Pressed, person: Person) -> Reply | None:
        before = await self.store.game(pressed.game)
        if before is None or before.open or not is_place(before, query):
            return None
        if seats.seat_of(before, person.id) is None:  # nobody else seats people who may be asleep
            return reply.toast(query, say_plain("ending.only_players"))
        assert query.message is not None
        place, here = ByPlace(before.chat_id, before.thread_id), query.message.chat
        chat = Chat(here.id, title=here.title, kind=here.type, road="open")
        callers = await self.store.callers(before.chat_id, before.thread_id)
        async with self.store.press(update_id=update.update_id, find=place, person=person, chat=chat) as unit:
            if not unit.fresh:
                return reply.close(query)
            if unit.game is not None:
                gathers = unit.game.status == "lobby"
                return reply.toast(query, say_plain("say.next_gathers" if gathers else "say.game_on"))
            lobby.open_lobby(unit, person, person.name, before)
            gathering.call(unit, callers)
        return reply.close(query)

    async def _on_vote(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        rights = await self._query_rights(query, context, True)
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not is_place(game, query):
                return None
            decides = rights.decides(unit, pressed.what)
            toast = votes.press(unit, person, pressed.what, pressed.number, pressed.version, decides)
            return reply.toast(query, toast)

    async def _on_absent(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply | None:
        """Who takes a seat over sees its hand at once."""
        since = asyncio.get_running_loop().time()
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not is_place(game, query):
                return None
            toast = absent.press(unit, person, pressed.what, pressed.number)
            row = seats.seat_of(unit.game or game, person.id)
            if pressed.what != absent.TAKE or row is None or row.sitter != person.id:
                return reply.toast(query, toast)
            aside = self._aside(unit, person.id, hands.Turned(toast))
        return await self._answer_aside(context, query, aside, since)

    async def _in_settings(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """A tap on that menu: rights are looked up each time, then the menu is edited."""
        message = query.message
        if message is None or message.chat.type not in GROUPS:
            return reply.close(query)
        if not await is_admin(context, message.chat.id, person.id):
            return reply.toast(query, say_plain("settings.only_administrators"))
        chat = Chat(message.chat.id, title=message.chat.title, kind=message.chat.type, road="open")
        async with self._at_last(update, person, chat) as is_new:
            if not is_new:
                return reply.close(query)
            async with self.store.press(update_id=None, find=Nothing(), person=person, chat=chat) as unit:
                before = (unit.chat.settings if unit.chat is not None else None) or {}
                kept, page = settings.tap(before, pressed)
                if kept != before:
                    unit.keeps(replace(unit.chat or chat, settings=kept))
            if pressed.what in settings.HOURS:
                await members.new_hours(self.store, chat.id)
        text, rows = page if page is not None else (settings.told(message.chat.title), [])
        if not await self.measure.may_say(chat.id):
            return reply.toast(query, say_plain("settings.later"))
        with contextlib.suppress(TelegramError):  # unchanged, or gone: /settings shows it again
            menu = reply.edited(text, rows)
            await context.bot.edit_message_text(
                menu.pop("text"), chat_id=message.chat.id, message_id=message.message_id, api_kwargs=menu
            )
        return reply.close(query)


STARTS = ("start", "set_at", "unset_at")  # presses in a lobby that take the right to start it


def _start_press(unit: Unit, pressed: Pressed) -> str:
    if pressed.what == "start":
        return lobby.start(unit)
    if pressed.what == "unset_at":
        return gathering.unset_start(unit)
    return gathering.set_start(unit, gathering.next_time(unit, pressed.number % (24 * 60)))


def _lobby_press(unit: Unit, pressed: Pressed) -> str:
    match pressed.what:
        case "bot":
            return lobby.add_bot(unit)
        case "no_bot":
            return lobby.take_bot_out(unit)
        case "options" | "pace" | "at":
            return lobby.turn_page(unit, pressed.what)
        case "back":
            return lobby.turn_page(unit, "")
        case "option":
            return lobby.set_option(unit, pressed.number)
        case "infected":
            return lobby.set_infected(unit, pressed.number)
        case "set_pace":
            return lobby.set_pace(unit, pressed.number)
        case "set_base":
            return lobby.set_base(unit, pressed.number)
        case "set_bank":
            return lobby.set_bank(unit, pressed.number)
    return ""
