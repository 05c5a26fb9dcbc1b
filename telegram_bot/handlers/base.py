"""What all handlers share: their units, who may decide, and what several of them say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeAlias, TypeVar

from telegram import CallbackQuery, ChatMember, Message, Update
from telegram.error import ChatMigrated, TelegramError
from telegram.ext import ContextTypes

from db.records import Chat, GameRow, Person
from db.store import ByGame, ByPlace, Nothing, Store, Unit
from telegram_bot import hands, lobby, me, play, private, reply, screens, show, votes
from telegram_bot.callback import Pressed
from telegram_bot.flood import Measure
from telegram_bot.handlers.updates import ADMINISTRATORS, GROUPS, message_of, person_of, thread_of
from telegram_bot.memo import memo_of
from telegram_bot.reply import Reply
from telegram_bot.texts import Markup, say, say_plain

H = TypeVar("H", bound="Handlers")
Command: TypeAlias = Callable[[H, Update, ContextTypes.DEFAULT_TYPE], Awaitable[Reply | None]]


class Handlers:
    """Some of the use cases by update, for one store."""

    def __init__(self, store: Store, asides: private.Asides, measure: Measure) -> None:
        self.store = store
        self.asides = asides
        self.measure = measure

    # --- units ---

    @asynccontextmanager
    async def _at_place(self, update: Update) -> AsyncIterator[Unit]:
        """The open game of a command's chat and topic; one that stood still for want of the group goes on."""
        message = message_of(update)
        chat = Chat(message.chat.id, title=message.chat.title, kind=message.chat.type, road="open")
        place = ByPlace(message.chat.id, thread_of(message))
        async with self.store.press(
            update_id=update.update_id, find=place, person=person_of(message), chat=chat
        ) as unit:
            self._drop_a_flood(unit, message)
            game = unit.game if unit.fresh else None
            if game is not None and game.status == "paused" and memo_of(game).why == "away":
                play.resume(unit)
            yield unit

    def _press(self, update: Update, pressed: Pressed, person: Person) -> Any:
        return self.store.press(update_id=update.update_id, find=ByGame(pressed.game), person=person)

    @asynccontextmanager
    async def _at_last(
        self, update: Update, person: Person | None = None, chat: Chat | None = None
    ) -> AsyncIterator[bool]:
        """For what is done in several transactions, each of which may be done twice: whether the update is new. It is
        remembered when all is done, so that whoever dies before leaves it to the next."""
        is_new = not await self.store.was_taken(update.update_id)
        yield is_new
        if is_new:
            async with self.store.press(update_id=update.update_id, find=Nothing(), person=person, chat=chat):
                pass

    async def _is_new(self, update: Update, person: Person | None) -> bool:
        """Whether this update was not answered before; who wrote to the private chat may be written to from now on."""
        async with self.store.press(update_id=update.update_id, find=Nothing(), person=person) as unit:
            self._drop_a_flood(unit, message_of(update))
            return unit.fresh

    async def _is_no_flood(self, update: Update) -> bool:
        """Whether somebody does not write too much, for what has no unit of its own."""
        async with self.store.press(update_id=None, find=Nothing()) as unit:
            self._drop_a_flood(unit, message_of(update))
            return unit.fresh

    def _drop_a_flood(self, unit: Unit, message: Message) -> None:
        """What somebody writes too much is treated like an update that came before: it changes nothing."""
        writer = message.sender_chat or message.from_user
        command = (message.text or "").partition(" ")[0].partition("@")[0] if (message.text or "")[:1] == "/" else ""
        if unit.fresh and writer is not None:
            unit.fresh = self.measure.commands.passes(writer.id, unit.now.timestamp(), command.lower())

    def _aside(self, unit: Unit, person: int, turned: hands.Turned | None = None) -> private.Aside:
        """A page for somebody in the group; who turned very many of them lately is told in alerts, which are free."""
        return hands.aside(unit, person, turned, only_alert=not self.measure.pages.passes(person, unit.now.timestamp()))

    # --- who may decide ---

    async def _is_administrator(self, message: Message, context: ContextTypes.DEFAULT_TYPE) -> bool:
        """Whether an administrator wrote, anonymously or not."""
        if message.sender_chat is not None:
            return message.sender_chat.id == message.chat.id
        user = message.from_user
        return user is not None and await is_admin(context, message.chat.id, user.id)

    async def _rights(self, message: Message, context: ContextTypes.DEFAULT_TYPE) -> Rights:
        """Of the writer of a command."""
        user = message.from_user if message.sender_chat is None else None
        return Rights(user.id if user is not None else 0, await self._is_administrator(message, context))

    async def _query_rights(self, query: CallbackQuery, context: ContextTypes.DEFAULT_TYPE, matters: bool) -> Rights:
        """Of who presses: looked up at every tap that needs them (failures.md 5.55)."""
        chat = query.message.chat.id if query.message is not None else None
        admin = matters and chat is not None and await is_admin(context, chat, query.from_user.id)
        return Rights(query.from_user.id, admin)


class Rights(NamedTuple):
    """Who writes or presses (0: nobody who can play), and whether that is an administrator now."""

    person: int
    is_administrator: bool

    def starts(self, unit: Unit) -> bool:
        """Whether they may start the game of a lobby."""
        return self.is_administrator or lobby.may_start(unit, self.person)

    def opened(self, unit: Unit) -> bool:
        """Whether they may decide as who opened it."""
        assert unit.game is not None
        return self.is_administrator or lobby.may_decide(unit.game, self.person)

    def decides(self, unit: Unit, what: str) -> bool:
        """Whether they need no majority for *what* is put to the vote."""
        return votes.decides_alone(unit, what, self.person, self.is_administrator)


async def is_admin(context: ContextTypes.DEFAULT_TYPE, chat: int, person: int) -> bool:
    """Whether a person is an administrator of a chat now, as Telegram says."""
    try:
        member: ChatMember = await context.bot.get_chat_member(chat, person)
    except ChatMigrated as moved:
        return await is_admin(context, moved.new_chat_id, person)
    except TelegramError:  # a right is not given by an error
        return False
    return member.status in ADMINISTRATORS


def only_opener(unit: Unit) -> str:
    """The refusal that names who may."""
    assert unit.game is not None
    if not unit.game.opened_by:
        return say_plain("lobby_toast.only_administrators")
    return say_plain("lobby_toast.only_starter", name=lobby.opener_name(unit.game))


def only_starter(unit: Unit) -> str:
    """The refusal of a start, with what one can do to be let."""
    return say_plain("lobby_toast.join_to_start") if show.anyone_starts(unit) else only_opener(unit)


def in_groups(command: Command[H]) -> Command[H]:
    """A command of groups; to one in a private chat the answer says so."""

    @wraps(command)
    async def only(handlers: H, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = message_of(update)
        if message.chat.type not in GROUPS:
            return reply.public(message, say("say.only_in_groups"), add_to_group())
        return await command(handlers, update, context)

    return only


def none_runs(game: GameRow | None) -> Markup:
    """Why there is nothing to do to a game: there is none, or it only gathers."""
    return say("say.no_game" if game is None else "say.not_yet")


def add_to_group() -> list[reply.Row]:
    """The button that adds the bot to a group."""
    return [[(say_plain("say.button_add"), {"url": f"https://t.me/{me.username()}?startgroup=new"})]]


def rows_of(rows: screens.Rows) -> list[reply.Row]:
    """Buttons of a screen as those of a reply."""
    return [
        [(one.text, {"url": one.url} if one.url else {"callback_data": one.data or ""}) for one in row] for row in rows
    ]


def move_down(unit: Unit) -> None:
    """The open lobby, or the board, is posted anew at the end of the chat."""
    game = unit.game
    assert game is not None
    if game.status == "lobby":
        show.lobby_anew(unit)
    else:
        show.board_anew(unit, play.standing(game))
