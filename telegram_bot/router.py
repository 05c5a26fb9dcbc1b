"""Handlers: which update is which use case. Knows Telegram's objects and none of the rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from telegram import CallbackQuery, ChatMember, ChatMemberUpdated, Message, Update, User
from telegram.constants import ChatMemberStatus, ChatType
from telegram.error import TelegramError
from telegram.ext import (
    Application,
    CallbackQueryHandler,
    ChatMemberHandler,
    CommandHandler,
    ContextTypes,
    MessageHandler,
    filters,
)

import core
from db.records import Chat, GameRow, Person
from db.store import ByGame, ByPlace, Nothing, Store, Unit
from telegram_bot import callback, ending, hands, lobby, me, members, own_deck, play, reply, rulebook, screens, show
from telegram_bot.callback import Pressed
from telegram_bot.memo import memo_of
from telegram_bot.names import clean, html
from telegram_bot.reply import Reply
from telegram_bot.texts import Markup, say, say_plain

App: TypeAlias = "Application[Any, Any, Any, Any, Any, Any]"
GROUPS = (ChatType.GROUP, ChatType.SUPERGROUP)
ADMINISTRATORS = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)

Handled: TypeAlias = "Awaitable[Reply | None]"


class Router:
    """The use cases by update, for one store. `register` gives them to an Application; replies come in `REPLY`."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def register(self, app: App) -> None:
        for name, handler in self._commands().items():
            app.add_handler(CommandHandler(name, self._replying(handler), filters.UpdateType.MESSAGE))
        app.add_handler(CallbackQueryHandler(self._replying(self.pressed)))
        app.add_handler(ChatMemberHandler(self._replying(self.membership), ChatMemberHandler.MY_CHAT_MEMBER))
        app.add_handler(ChatMemberHandler(self._replying(self.people_moved), ChatMemberHandler.CHAT_MEMBER))
        moved = filters.StatusUpdate.LEFT_CHAT_MEMBER | filters.StatusUpdate.NEW_CHAT_MEMBERS
        app.add_handler(MessageHandler(moved, self._replying(self.people_moved)))
        app.add_handler(MessageHandler(filters.StatusUpdate.MIGRATE, self._replying(self.migrated)))
        written = filters.UpdateType.MESSAGE & filters.ChatType.PRIVATE & ~filters.StatusUpdate.ALL
        app.add_handler(MessageHandler(written, self._replying(self.help)))

    def _commands(self) -> dict[str, Callable[[Update, ContextTypes.DEFAULT_TYPE], Handled]]:
        return {
            "newgame": self.newgame,
            "join": self.join,
            "leave": self.leave,
            "deck": self.deck,
            "startgame": self.startgame,
            "status": self.status,
            "hand": self.hand,
            "rules": self.rules,
            "endgame": self.endgame,
            "games": self.games,
            "start": self.start,
            "help": self.help,
        }

    def _replying(self, handler: Callable[[Update, ContextTypes.DEFAULT_TYPE], Handled]) -> Any:
        async def replying(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
            try:
                REPLY.set(await handler(update, context))
            except core.Diverged as changed:  # and nothing was written
                await self._begin_turn_again(*changed.args)
                REPLY.set(await handler(update, context))

        return replying

    async def _begin_turn_again(self, game_id: int) -> None:
        """The rules changed under a turn in play; whoever comes first, a press or the clock, begins it again."""
        async with self.store.press(update_id=None, find=ByGame(game_id)) as unit:
            assert unit.game is not None
            try:
                play.standing(unit.game)
            except core.Diverged:
                play.begin_turn_again(unit)

    # --- commands in the group ---

    async def newgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        person = _person(message)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                lobby.open_lobby(unit, person, person.name if person else "An administrator")
            else:
                _move_down(unit)
        return None

    async def status(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = _message(update)
        if message.chat.type not in GROUPS:
            return await self.games(update, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            _move_down(unit)
        return None

    async def join(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        if person is None:
            return None
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            if game is None:
                return reply.public(message, say("say.no_lobby"))
            if game.status == "lobby":
                toast = lobby.join(unit, person)
                return None if unit.game and unit.game.seat_of(person.id) else reply.public(message, say("say.told", text=toast))
            row = game.seat_of(person.id)
            if row is None:
                return reply.public(message, say("say.too_late"))
            if row.played_by == "bot":
                play.take_over(unit, row, "person")
        return None

    async def leave(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        if person is None:
            return None
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            row = game.seat_of(person.id) if game is not None else None
            if game is None or row is None:
                return reply.public(message, say("say.no_game" if game is None else "say.not_in_game"))
            if game.status == "lobby":
                lobby.leave(unit, person)
            elif row.seat not in play.standing(game).table.seats:
                return reply.public(message, say("say.burned"))
            elif row.played_by == "person":
                play.take_over(unit, row, "bot")
                return reply.public(message, say("say.bot_plays_on", name=Markup(html(row.name))))
        return None

    async def deck(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/deck shows the deck of the lobby; with a list, or changes, it is made anew (R63)."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        wanted = (message.text or "").partition(" ")[2].strip()
        async with self._at_place(update) as unit:
            game = unit.game
            if not unit.fresh:
                return None
            if game is None or game.status != "lobby":
                return reply.public(message, say("say.no_lobby" if game is None else "say.game_on"))
            if not wanted:
                return reply.public(message, own_deck.told(game.options, len(game.roster)))
            if person is None or game.seat_of(person.id) is None:
                return reply.public(message, say("lobby_toast.only_members"))
            if why := lobby.change_deck(unit, wanted):
                return reply.public(message, say("say.told", text=why))
        return None

    async def startgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        decides = await self._decides(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None or unit.game.status != "lobby":
                return reply.public(message, say("say.no_lobby" if unit.game is None else "say.game_on"))
            if not decides(unit.game):
                return reply.public(message, _only_starter(unit.game))
            if why := lobby.start(unit):
                return reply.public(message, say("say.told", text=why))
        return None

    async def endgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        decides = await self._decides(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            if unit.game.status == "lobby":
                if not decides(unit.game):
                    return reply.public(message, _only_starter(unit.game))
                lobby.call_off(unit, person.name if person else "an administrator")
            elif not ending.ask(unit, person, decides(unit.game)):
                plays = person is not None and unit.game.seat_of(person.id) is not None
                return reply.public(message, say("say.no_vote" if plays else "say.not_in_game"))
        return None

    async def hand(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The panel comes to the private chat; without one, a line with the button that opens it."""
        message, person = _message(update), _person(_message(update))
        if person is None:
            return None
        if message.chat.type not in GROUPS:
            return await self._all_hands(update, person)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, say("say.no_game" if game is None else "say.no_cards_yet"))
            row = game.seat_of(person.id)
            if row is None:
                return reply.public(message, say("say.not_in_game"))
            show.hand(unit, row, play.standing(game), anew=True)
            if unit.people[person.id].private == "open":
                return None
            wanted = screens.call(game, row, unit.now, me.username())
            return reply.public(message, say("say.hand_in_private", name=Markup(html(row.name))), _rows(wanted.rows))

    async def rules(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        if not await self._is_new(update, None):
            return None
        query = " ".join(context.args or ())
        return reply.public(_message(update), rulebook.about(query) if query else rulebook.short())

    async def help(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        in_group = message.chat.type in GROUPS
        if not await self._is_new(update, None if person is None or in_group else _opened(person)):
            return None
        if in_group:
            return reply.public(message, say("say.help_group"))
        return reply.public(message, say("say.help_private"), _add_to_group())

    # --- the private chat ---

    async def start(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The private chat opens, perhaps by the link of a board: the hands that waited for it come now."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type in GROUPS or person is None:
            return await self.help(update, context)
        welcome = say("say.welcome", name=Markup(html(person.name)))
        payload = " ".join(context.args or ())
        if payload == "games":
            return await self.games(update, context)
        game_id = hands.game_of_link(payload)
        if game_id is None:
            if not await self._is_new(update, _opened(person)):
                return None
            return reply.private(person.id, welcome, _add_to_group())
        async with self.store.press(update_id=update.update_id, find=ByGame(game_id), person=_opened(person)) as unit:
            if unit.fresh and not hands.bring(unit, person.id):
                return reply.private(person.id, welcome, _add_to_group())
        return None

    async def games(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """All games of a person, in the private chat."""
        message, person = _message(update), _person(_message(update))
        if person is None:
            return None
        if message.chat.type in GROUPS:
            link = {"url": f"https://t.me/{me.username()}?start=games"}
            return reply.public(message, say("say.games_in_private"), [[(say_plain("board.button_private"), link)]])
        if not await self._is_new(update, _opened(person)):
            return None
        found = await self.store.games_of(person.id)
        titles = {game.chat_id: await self._title(game) for game in found}
        text, rows = hands.list_of(found, person.id, titles)
        return reply.private(person.id, text, rows)

    async def _title(self, game: GameRow) -> str:
        chat = await self.store.chat(game.chat_id)
        return clean(chat.title or "") if chat is not None else clean("")

    async def _all_hands(self, update: Update, person: Person) -> Reply | None:
        if not await self._is_new(update, _opened(person)):
            return None
        found = [game for game in await self.store.games_of(person.id) if game.status != "lobby"]
        for game in found:
            async with self.store.press(update_id=None, find=ByGame(game.id), person=_opened(person)) as unit:
                hands.bring(unit, person.id)
        return None if found else reply.private(person.id, say("say.no_games"), _add_to_group())

    async def _is_new(self, update: Update, person: Person | None) -> bool:
        """Whether this update was not answered before; who wrote to the private chat may be written to from now on."""
        async with self.store.press(update_id=update.update_id, find=Nothing(), person=person) as unit:
            return unit.fresh

    # --- presses ---

    async def pressed(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        query = update.callback_query
        assert query is not None
        pressed = callback.read(query.data or "")
        if pressed is None:  # the bot never made this
            return reply.close(query)
        person = _known(query.from_user, _chat_type(query) == ChatType.PRIVATE)
        room = {"lobby": self._in_lobby, "board": self._on_board, "panel": self._on_panel, "ending": self._on_ending}
        return await room[pressed.room](update, context, query, pressed, person)

    async def _in_lobby(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        decides = await self._query_decides(query, context, pressed.what in ("start", "cancel"))
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            if game.status != "lobby":
                return reply.toast(
                    query, say_plain("lobby_toast.started" if game.status == "playing" else "lobby_toast.gone")
                )
            if pressed.what in ("start", "cancel"):
                if not decides(game):
                    return reply.toast(query, _only_starter_plain(game))
                if pressed.what == "cancel":
                    return reply.toast(query, lobby.call_off(unit, person.name))
                return reply.toast(query, lobby.start(unit))
            if pressed.what == "join":
                return reply.toast(query, lobby.join_or_leave(unit, person))
            if game.seat_of(person.id) is None and not lobby.may_decide(game, person.id):
                return reply.toast(query, say_plain("lobby_toast.only_members"))
            return reply.toast(query, _lobby_press(unit, pressed))

    async def _on_board(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """My hand, in the group: an alert, which only the presser sees."""
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or pressed.what != "hand" or not _is_place(game, query):
                return reply.close(query)
            return reply.alert(query, hands.alert(unit, person.id))

    async def _on_panel(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        if _chat_type(query) != ChatType.PRIVATE:
            return reply.close(query)
        log = await self.store.events(pressed.game, last=hands.LOG) if pressed.what == "know" else []
        async with self._press(update, pressed, person) as unit:
            if not unit.fresh or unit.game is None:
                return reply.close(query)
            return reply.toast(query, hands.press(unit, person.id, pressed, log))

    async def _on_ending(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        if pressed.what == "again":
            return await self._rematch(update, query, pressed, person)
        decides = await self._query_decides(query, context, True)
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            return reply.toast(query, ending.press(unit, person, pressed.what, decides(game)))

    async def _rematch(self, update: Update, query: CallbackQuery, pressed: Pressed, person: Person) -> Reply:
        before = await self.store.game(pressed.game)
        if before is None or before.open or not _is_place(before, query):
            return reply.close(query)
        place = ByPlace(before.chat_id, before.thread_id)
        async with self.store.press(update_id=update.update_id, find=place, person=person) as unit:
            if not unit.fresh:
                return reply.close(query)
            if unit.game is not None:
                return reply.toast(query, say_plain("say.game_on"))
            lobby.open_lobby(unit, person, person.name, before)
        return reply.close(query)

    # --- what happens to the bot ---

    async def membership(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The bot was blocked or unblocked by a person; added to a group, removed, or given other rights."""
        changed = update.my_chat_member
        assert changed is not None
        if changed.chat.type == ChatType.PRIVATE:
            blocked = changed.new_chat_member.status == ChatMemberStatus.BANNED
            person = _named(changed.from_user, "blocked" if blocked else "open")
            async with self.store.press(update_id=update.update_id, find=Nothing(), person=person):
                return None
        chat = _chat_after(changed)
        async with self.store.press(update_id=update.update_id, find=Nothing(), chat=chat):
            pass
        await members.bot_moved(self.store, chat)
        return None

    async def people_moved(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """Somebody left the group, was banned, or is back: administrators get a chat_member, others a message."""
        for user, is_in in _moves(update):
            if not user.is_bot:
                move = members.returned if is_in else members.left
                chat = update.effective_chat
                assert chat is not None
                await move(self.store, chat.id, _known(user, False))
        return None

    async def migrated(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The group became a supergroup: both signs of it say the same (field/telegram.md 1.3)."""
        message = _message(update)
        if message.migrate_to_chat_id:
            await self.store.migrate(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self.store.migrate(message.migrate_from_chat_id, message.chat.id)
        return None

    # --- units ---

    @asynccontextmanager
    async def _at_place(self, update: Update) -> AsyncIterator[Unit]:
        """The open game of a command's chat and topic; one that stood still for want of the group goes on."""
        message = _message(update)
        chat = Chat(message.chat.id, title=message.chat.title, kind=message.chat.type, road="open")
        place = ByPlace(message.chat.id, _thread(message))
        async with self.store.press(update_id=update.update_id, find=place, person=_person(message), chat=chat) as unit:
            if unit.game is not None and unit.game.status == "paused" and memo_of(unit.game).why == "away":
                play.resume(unit)
            yield unit

    def _press(self, update: Update, pressed: Pressed, person: Person) -> Any:
        return self.store.press(update_id=update.update_id, find=ByGame(pressed.game), person=person)

    # --- who may decide ---

    async def _decides(self, message: Message, context: ContextTypes.DEFAULT_TYPE) -> Callable[[GameRow], bool]:
        """Whether the writer of a command may start and end a game: who opened it, or an administrator."""
        if message.sender_chat is not None:
            anonymous = message.sender_chat.id == message.chat.id
            return lambda game: anonymous
        user = message.from_user
        admin = user is not None and await _is_admin(context, message.chat.id, user.id)
        return lambda game: admin or (user is not None and lobby.may_decide(game, user.id))

    async def _query_decides(
        self, query: CallbackQuery, context: ContextTypes.DEFAULT_TYPE, matters: bool
    ) -> Callable[[GameRow], bool]:
        """The same for a press: rights are looked up at every tap that needs them (failures.md 5.55)."""
        chat = query.message.chat.id if query.message is not None else None
        admin = matters and chat is not None and await _is_admin(context, chat, query.from_user.id)
        return lambda game: admin or lobby.may_decide(game, query.from_user.id)


# What the handler of this update replied: python-telegram-bot's handlers return nothing to their caller.
REPLY: ContextVar[Reply | None] = ContextVar("reply", default=None)


async def _is_admin(context: ContextTypes.DEFAULT_TYPE, chat: int, person: int) -> bool:
    try:
        member: ChatMember = await context.bot.get_chat_member(chat, person)
    except TelegramError:  # a right is not given by an error
        return False
    return member.status in ADMINISTRATORS


def _lobby_press(unit: Unit, pressed: Pressed) -> str:
    match pressed.what:
        case "bot":
            return lobby.add_bot(unit)
        case "no_bot":
            return lobby.take_bot_out(unit)
        case "options" | "pace":
            return lobby.turn_page(unit, pressed.what)
        case "back":
            return lobby.turn_page(unit, "")
        case "option":
            return lobby.set_option(unit, pressed.number)
        case "infected":
            return lobby.set_infected(unit, pressed.number)
        case "set_pace":
            return lobby.set_pace(unit, pressed.number)
    return ""


def _move_down(unit: Unit) -> None:
    """The open lobby, or the board, is posted anew at the end of the chat."""
    game = unit.game
    assert game is not None
    if game.status == "lobby":
        unit.post_anew(show.LOBBY, screens.lobby(game, unit.now))
    else:
        show.board_anew(unit, play.standing(game))


def _only_starter(game: GameRow) -> str:
    return say("lobby_toast.only_starter", name=lobby.opener_name(game))


def _only_starter_plain(game: GameRow) -> str:
    return say_plain("lobby_toast.only_starter", name=lobby.opener_name(game))


def _only_in_groups(message: Message) -> Reply:
    return reply.public(message, say("say.only_in_groups"), _add_to_group())


def _add_to_group() -> list[reply.Row]:
    return [[(say_plain("say.button_add"), {"url": f"https://t.me/{me.username()}?startgroup=new"})]]


def _rows(rows: screens.Rows) -> list[reply.Row]:
    return [
        [(one.text, {"url": one.url} if one.url else {"callback_data": one.data or ""}) for one in row] for row in rows
    ]


# --- Telegram's objects as ours ---


def _message(update: Update) -> Message:
    message = update.effective_message
    assert message is not None
    return message


def _thread(message: Message) -> int:
    """The forum topic; General and groups without topics are 0 (field/telegram.md 1.3)."""
    return (message.message_thread_id or 0) if message.is_topic_message else 0


def _person(message: Message) -> Person | None:
    """Who wrote; None for an anonymous administrator and for a channel, who cannot play (field/telegram.md 1.3)."""
    user = message.from_user
    if user is None or user.is_bot or message.sender_chat is not None:
        return None
    return _known(user, message.chat.type == ChatType.PRIVATE)


def _known(user: User, private: bool) -> Person:
    return _named(user, "open" if private else "unknown")


def _named(user: User, road: Any) -> Person:
    return Person(user.id, clean(user.full_name or ""), user.username, user.language_code, road)


def _opened(person: Person) -> Person:
    return Person(person.id, person.name, person.username, person.language, "open")


def _chat_type(query: CallbackQuery) -> str | None:
    return query.message.chat.type if query.message is not None else None


def _is_place(game: GameRow, query: CallbackQuery) -> bool:
    """Whether a press comes from the group of its game; a supergroup's old buttons are dead anyway."""
    return query.message is not None and query.message.chat.id == game.chat_id


def _moves(update: Update) -> list[tuple[User, bool]]:
    """Who moved, and whether they are in the group now."""
    if (changed := update.chat_member) is not None:
        member = changed.new_chat_member
        is_in = member.status in (*ADMINISTRATORS, ChatMemberStatus.MEMBER) or bool(getattr(member, "is_member", False))
        return [(member.user, is_in)]
    message = _message(update)
    if message.left_chat_member is not None:
        return [(message.left_chat_member, False)]
    return [(user, True) for user in message.new_chat_members or ()]


def _chat_after(changed: ChatMemberUpdated) -> Chat:
    """What a change of the bot's membership tells about a group."""
    member = changed.new_chat_member
    gone = member.status in (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED)
    muted = member.status == ChatMemberStatus.RESTRICTED and not getattr(member, "can_send_messages", True)
    return Chat(
        changed.chat.id,
        title=changed.chat.title,
        kind=changed.chat.type,
        rights={
            "administrator": member.status in ADMINISTRATORS,
            "pin": bool(getattr(member, "can_pin_messages", False)),
        },
        road="left" if gone else "muted" if muted else "open",
    )
