"""Handlers: which update is which use case. Knows Telegram's objects and none of the rules."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace
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
from db.records import Chat, GameRow, Person, SeatRow
from db.store import ByGame, ByPlace, Nothing, Store, Unit
from telegram_bot import (
    absent,
    callback,
    doctor,
    gathering,
    hands,
    holiday,
    hours,
    lobby,
    me,
    members,
    own_deck,
    pace,
    play,
    private,
    recap,
    reply,
    rulebook,
    screens,
    seats,
    settings,
    show,
    votes,
    waiting,
)
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
        self.asides = private.Asides(store)

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
            "nextgame": self.nextgame,
            "extend": self.extend,
            "status": self.status,
            "hand": self.hand,
            "rules": self.rules,
            "endgame": self.endgame,
            "pause": self.pause,
            "resume": self.resume,
            "pace": self.pace,
            "nudge": self.nudge,
            "blame": self.blame,
            "recap": self.recap,
            "holiday": self.holiday,
            "back": self.back,
            "settings": self.group_settings,
            "doctor": self.doctor,
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
        callers = await self.store.callers(message.chat.id, _thread(message))
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                lobby.open_lobby(unit, person, person.name if person else "An administrator")
                gathering.call(unit, callers)
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
                return (
                    None
                    if unit.game and unit.game.seat_of(person.id)
                    else reply.public(message, say("say.told", text=toast))
                )
            row = seats.seat_of(game, person.id)
            if row is None:
                return reply.public(message, say("say.too_late"))
            if row.person == person.id and seats.is_taken_over(row):
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
            row = seats.seat_of(game, person.id) if game is not None else None
            if game is None or row is None:
                return reply.public(message, say("say.no_game" if game is None else "say.not_in_game"))
            if game.status == "lobby":
                lobby.leave(unit, person)
            elif row.seat not in play.standing(game).table.seats:
                return reply.public(message, say("say.burned"))
            elif row.sitter == person.id:
                absent.give_up(unit, row)
            elif not seats.is_taken_over(row):
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
        """/startgame now; /startgame 20:30 or 45m sets the time, /startgame off takes it back."""
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        wanted = " ".join((message.text or "").split()[1:]).lower()
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None or unit.game.status != "lobby":
                return reply.public(message, say("say.no_lobby" if unit.game is None else "say.game_on"))
            if not rights.starts(unit):
                return reply.public(message, say("say.told", text=_only_starter(unit)))
            if wanted:
                at = gathering.read(wanted, unit)
                if at is None and wanted != "off":
                    return reply.public(message, say("startgame.how"))
                gathering.unset_start(unit) if at is None else gathering.set_start(unit, at)
                return None
            if why := lobby.start(unit):
                return reply.public(message, say("say.told", text=why))
        return None

    async def nextgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """Call me when a game opens here, or no more."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        if person is None:
            return None
        callers = await self.store.callers(message.chat.id, _thread(message))
        async with self._at_place(update) as unit:
            return reply.public(message, gathering.call_on_or_off(unit, callers)) if unit.fresh else None

    async def extend(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """A lobby stays open for longer; who is awaited in a game has the base time once more."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        async with self._at_place(update) as unit:
            game = unit.game
            if not unit.fresh or person is None:
                return None
            if game is None:
                return reply.public(message, say("say.no_game"))
            if game.status != "lobby":
                return reply.public(message, waiting.extend(unit, person.id))
            if game.seat_of(person.id) is None and not lobby.may_decide(game, person.id):
                return reply.public(message, say("lobby_toast.only_members"))
            return reply.public(message, gathering.extend(unit))

    async def endgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            if unit.game.status == "lobby":
                if not rights.opened(unit):
                    return reply.public(message, say("say.told", text=_only_opener(unit)))
                lobby.call_off(unit, person.name if person else "an administrator")
            elif (why := votes.ask(unit, "end", person, rights.ends(unit))) is not None:
                return reply.public(message, why)
        return None

    # --- the clock ---

    async def pause(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._asked(update, context, "pause")

    async def resume(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._asked(update, context, "resume")

    async def pace(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/pace 10m 1h: of the lobby at once, of a game in play by a vote; without a pace, the one that is."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        wanted = " ".join((message.text or "").split()[1:])
        async with self._at_place(update) as unit:
            game = unit.game
            if not unit.fresh:
                return None
            if game is None:
                return reply.public(message, say("say.no_game"))
            if not wanted:
                values = screens.pace_values(pace.pace_of(game), len(game.roster))
                return reply.public(message, say("pace.now", **values))
            try:
                wanted = str(pace.read(wanted))
            except pace.Unfit as why:
                return reply.public(message, say(f"pace.{why}"))
            if game.status != "lobby":
                refused = votes.ask(unit, "pace", person, False, wanted)
                return None if refused is None else reply.public(message, refused)
            if person is None or game.seat_of(person.id) is None and not lobby.may_decide(game, person.id):
                return reply.public(message, say("lobby_toast.only_members"))
            lobby.write_pace(unit, wanted)
        return None

    async def _asked(self, update: Update, context: ContextTypes.DEFAULT_TYPE, what: votes.What) -> Reply | None:
        """What a majority, the opener or an administrator decides."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            why = votes.ask(unit, what, person, rights.ends(unit))
        return None if why is None else reply.public(message, why)

    async def nudge(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        async with self._at_place(update) as unit:
            if not unit.fresh or person is None:
                return None
            if unit.game is None or unit.game.status == "lobby":
                return reply.public(message, say("say.no_game"))
            return reply.public(message, waiting.nudge(unit, person.id))

    async def blame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        async with self._at_place(update) as unit:
            game = unit.game
            if not unit.fresh:
                return None
            if game is None or game.status == "lobby":
                return reply.public(message, say("say.no_game"))
            nudge = screens.button(say_plain("nudge.button"), game, "board", "nudge", version=0)
            return reply.public(message, waiting.blame(unit), _rows(((nudge,),)))

    async def recap(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """What happened since its writer last looked: in the private chat if there is one; the group has seen it."""
        message, person = _message(update), _person(_message(update))
        if person is None:
            return None
        if message.chat.type not in GROUPS:
            return await self._all_recaps(update, person)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, say("say.no_game"))
            unit.looked()
            awaited = recap.awaited(unit)
            is_open = unit.people[person.id].private == "open"
        told = await self._recap(game, person, awaited)
        if is_open and private.ephemeral_id(message) is None:
            return private.message(person.id, told)
        return reply.public(message, told)

    async def _recap(self, game: GameRow, person: Person, awaited: str) -> str:
        log = await self.store.events(game.id, last=recap.LOG)
        return recap.page(log, await self.store.seen_before(game.id, person.id), screens.names_of(game), awaited)

    async def _all_recaps(self, update: Update, person: Person) -> Reply | None:
        """Of all games of a person, each under the name of its group, as many as one message takes."""
        if not await self._is_new(update, _opened(person)):
            return None
        told = []
        for game in await self.store.games_of(person.id):
            if game.status == "lobby":
                continue
            async with self.store.press(update_id=None, find=ByGame(game.id), person=_opened(person)) as unit:
                if unit.game is None or not unit.game.open:
                    continue
                unit.looked()
                awaited = recap.awaited(unit)
            title = say("recap.game", title=screens.named(await self._title(game)))
            told.append(f"{title}\n{await self._recap(game, person, awaited)}")
        if not told:
            return private.message(person.id, say("say.no_games"), reply.buttons(_add_to_group()))
        while len(told) > 1 and len("\n\n".join(told)) > recap.LONGEST:
            told.pop()
        return private.message(person.id, "\n\n".join(told))

    async def holiday(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._away(update, lambda unit, row, words: holiday.announce(unit, row, words))

    async def back(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._away(update, lambda unit, row, words: holiday.end(unit, row))

    async def _away(self, update: Update, does: Callable[[Unit, SeatRow, str], Markup]) -> Reply | None:
        """/holiday and /back, of who sits in the game here."""
        message, person = _message(update), _person(_message(update))
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        words = " ".join((message.text or "").split()[1:])
        async with self._at_place(update) as unit:
            if not unit.fresh or person is None:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, say("say.no_game"))
            row = game.seat_of(person.id)
            return reply.public(message, say("say.not_in_game") if row is None else does(unit, row, words))

    async def hand(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The panel: in an ephemeral message where the command was one (the others do not see it), else in the private
        chat; without one, a line with the button that opens it."""
        since = asyncio.get_running_loop().time()
        message, person = _message(update), _person(_message(update))
        if person is None:
            return None
        if message.chat.type not in GROUPS:
            return await self._all_hands(update, person)
        command = private.ephemeral_id(message)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, say("say.no_game" if game is None else "say.no_cards_yet"))
            row = seats.seat_of(game, person.id)
            if row is None:
                return reply.public(message, say("say.not_in_game"))
            if command is None:
                hands.bring(unit, person.id)
            else:
                aside = hands.aside(unit, person.id)
            is_open = unit.people[person.id].private == "open"
            wanted = screens.call(game, row, unit.now, me.username())
        if command is not None:
            if await self.asides.show(context.bot, aside, aside.following(command), since):
                return None
            async with self.store.press(update_id=None, find=ByGame(game.id), person=person) as unit:
                hands.bring(unit, person.id)
        if is_open:
            return None
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
            return private.message(person.id, welcome, reply.buttons(_add_to_group()))
        async with self.store.press(update_id=update.update_id, find=ByGame(game_id), person=_opened(person)) as unit:
            if unit.fresh and not hands.bring(unit, person.id):
                return private.message(person.id, welcome, reply.buttons(_add_to_group()))
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
        return private.message(person.id, text, reply.buttons(rows))

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
        return None if found else private.message(person.id, say("say.no_games"), reply.buttons(_add_to_group()))

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
        room = {
            "lobby": self._in_lobby,
            "board": self._on_board,
            "panel": self._on_panel,
            "ending": self._on_ending,
            "vote": self._on_vote,
            "settings": self._in_settings,
            "absent": self._on_absent,
        }
        return await room[pressed.room](update, context, query, pressed, person)

    async def group_settings(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/settings: the menu of the group, for administrators."""
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        if not await self._is_administrator(message, context):
            return reply.public(message, say("settings.only_administrators"))
        async with self._at_place(update) as unit:
            if not unit.fresh or unit.chat is None:
                return None
            return reply.public(message, *settings.front(unit.chat.settings or {}))

    async def doctor(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = _message(update)
        if message.chat.type not in GROUPS:
            return _only_in_groups(message)
        rights = await doctor.rights_in(context.bot, message.chat.id)
        roads = await self.store.roads_from(message.chat.id)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            told = doctor.report(
                rights,
                reads_all=bool(context.bot.can_read_all_group_messages),
                has_topics=bool(message.chat.is_forum),
                wants_pin=settings.value(show.settings(unit), "pin") == "yes",
                roads=roads,
                game=unit.game,
                people=unit.people,
            )
        return reply.public(message, told)

    async def _in_settings(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """A tap on that menu: rights are looked up each time, then the menu is edited."""
        message = query.message
        if message is None or message.chat.type not in GROUPS:
            return reply.close(query)
        if not await _is_admin(context, message.chat.id, person.id):
            return reply.toast(query, say_plain("settings.only_administrators"))
        chat = Chat(message.chat.id, title=message.chat.title, kind=message.chat.type, road="open")
        async with self.store.press(update_id=update.update_id, find=Nothing(), person=person, chat=chat) as unit:
            if not unit.fresh or unit.chat is None:
                return reply.close(query)
            kept, page = settings.tap(unit.chat.settings or {}, pressed)
            before = unit.chat.settings or {}
            if kept != before:
                unit.keeps(replace(unit.chat, settings=kept))
        if any(kept.get(key) != before.get(key) for key in hours.KEYS):
            await members.new_hours(self.store, chat.id)
        text, rows = page if page is not None else (settings.told(message.chat.title), [])
        with contextlib.suppress(TelegramError):  # unchanged, or gone: /settings shows it again
            menu = reply.edited(text, rows)
            await context.bot.edit_message_text(
                menu.pop("text"), chat_id=message.chat.id, message_id=message.message_id, api_kwargs=menu
            )
        return reply.close(query)

    async def _is_administrator(self, message: Message, context: ContextTypes.DEFAULT_TYPE) -> bool:
        """Whether an administrator wrote, anonymously or not."""
        if message.sender_chat is not None:
            return message.sender_chat.id == message.chat.id
        user = message.from_user
        return user is not None and await _is_admin(context, message.chat.id, user.id)

    async def _in_lobby(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        rights = await self._query_rights(query, context, pressed.what in ("cancel", *STARTS))
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            if game.status != "lobby":
                return reply.toast(
                    query, say_plain("lobby_toast.started" if game.status == "playing" else "lobby_toast.gone")
                )
            if pressed.what == "cancel":
                told = lobby.call_off(unit, person.name) if rights.opened(unit) else _only_opener(unit)
                return reply.toast(query, told)
            if pressed.what in STARTS:
                return reply.toast(query, _start_press(unit, pressed) if rights.starts(unit) else _only_starter(unit))
            if pressed.what == "ready":
                return reply.toast(query, gathering.is_ready(unit, person.id))
            if pressed.what == "join":
                return reply.toast(query, lobby.join_or_leave(unit, person))
            if game.seat_of(person.id) is None and not lobby.may_decide(game, person.id):
                return reply.toast(query, say_plain("lobby_toast.only_members"))
            return reply.toast(query, _lobby_press(unit, pressed))

    async def _on_board(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """My hand, in the group: the panel in an ephemeral message, else an alert; only the presser sees either."""
        since = asyncio.get_running_loop().time()
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            if pressed.what == "nudge":
                return reply.toast(query, screens.bare(waiting.nudge(unit, person.id)) if memo_of(game).asked else "")
            if pressed.what == "say":
                turned = hands.press(unit, person.id, Pressed("panel", game.id, "claims"), ())
                if turned.page is None:
                    return reply.toast(query, turned.toast)
                aside = hands.aside(unit, person.id, turned)
            elif pressed.what == "hand":
                aside = hands.aside(unit, person.id)
            else:
                return reply.close(query)
        if pressed.what == "say":
            return await self._answer_say(context, query, person, aside, since)
        return await self._answer_aside(context, query, aside, since)

    async def _answer_say(
        self,
        context: ContextTypes.DEFAULT_TYPE,
        query: CallbackQuery,
        person: Person,
        aside: private.Aside,
        since: float,
    ) -> Reply:
        """What could be said is chosen in the group, unseen by others, or else in the private chat."""
        if await self.asides.show(context.bot, aside, aside.answering(query), since):
            return reply.close(query)
        game = callback.read(query.data or "")
        if not aside.is_open or aside.page is None or game is None:
            return private.alert(query, say_plain("claims.no_road"))
        async with self.store.press(update_id=None, find=ByGame(game.game), person=person) as unit:
            private.place(unit, aside.person, aside.page, anew=True)
        return private.alert(query, say_plain("claims.in_private"))

    async def _on_panel(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """A button of a hand, in the private chat, or on an ephemeral message of the group, which shows what comes."""
        since = asyncio.get_running_loop().time()
        in_private = _chat_type(query) == ChatType.PRIVATE
        log = await self.store.events(pressed.game, last=hands.LOG) if pressed.what == "know" else []
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not (in_private or _is_place(game, query)):
                return reply.close(query)
            turned = hands.press(unit, person.id, pressed, log)
            if in_private and turned.page is not None:
                private.place(unit, person.id, turned.page)
            if in_private or seats.seat_of(game, person.id) is None:
                return reply.toast(query, turned.toast)
            aside = hands.aside(unit, person.id, turned)
        return await self._answer_aside(context, query, aside, since)

    async def _answer_aside(
        self, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, aside: private.Aside, since: float
    ) -> Reply:
        """The ephemeral message goes out before the query is closed, for that ends what may be said to it."""
        if await self.asides.show(context.bot, aside, aside.answering(query), since):
            return reply.toast(query, aside.toast)
        return private.alert(query, aside.alert)

    async def _on_ending(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        if pressed.what == "again":
            return await self._rematch(update, query, pressed, person)
        return reply.close(query)

    async def _on_vote(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        rights = await self._query_rights(query, context, True)
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            toast = votes.press(unit, person, pressed.what, pressed.number, pressed.version, rights.ends(unit))
            return reply.toast(query, toast)

    async def _on_absent(
        self, update: Update, context: ContextTypes.DEFAULT_TYPE, query: CallbackQuery, pressed: Pressed, person: Person
    ) -> Reply:
        """Who takes a seat over sees its hand at once."""
        since = asyncio.get_running_loop().time()
        async with self._press(update, pressed, person) as unit:
            game = unit.game
            if not unit.fresh or game is None or not _is_place(game, query):
                return reply.close(query)
            toast = absent.press(unit, person, pressed.what, pressed.number)
            row = seats.seat_of(unit.game or game, person.id)
            if pressed.what != absent.TAKE or row is None or row.sitter != person.id:
                return reply.toast(query, toast)
            aside = hands.aside(unit, person.id, hands.Turned(toast))
        return await self._answer_aside(context, query, aside, since)

    async def _rematch(self, update: Update, query: CallbackQuery, pressed: Pressed, person: Person) -> Reply:
        before = await self.store.game(pressed.game)
        if before is None or before.open or not _is_place(before, query):
            return reply.close(query)
        place = ByPlace(before.chat_id, before.thread_id)
        callers = await self.store.callers(before.chat_id, before.thread_id)
        async with self.store.press(update_id=update.update_id, find=place, person=person) as unit:
            if not unit.fresh:
                return reply.close(query)
            if unit.game is not None:
                return reply.toast(query, say_plain("say.game_on"))
            lobby.open_lobby(unit, person, person.name, before)
            gathering.call(unit, callers)
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
        await self.store.roads_anew(chat.id)  # an administrator may send what others may not
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

    async def _rights(self, message: Message, context: ContextTypes.DEFAULT_TYPE) -> Rights:
        """Of the writer of a command."""
        user = message.from_user if message.sender_chat is None else None
        return Rights(user.id if user is not None else 0, await self._is_administrator(message, context))

    async def _query_rights(self, query: CallbackQuery, context: ContextTypes.DEFAULT_TYPE, matters: bool) -> Rights:
        """Of who presses: looked up at every tap that needs them (failures.md 5.55)."""
        chat = query.message.chat.id if query.message is not None else None
        admin = matters and chat is not None and await _is_admin(context, chat, query.from_user.id)
        return Rights(query.from_user.id, admin)


class Rights(NamedTuple):
    """Who writes or presses (0: nobody who can play), and whether that is an administrator now."""

    person: int
    is_administrator: bool

    def starts(self, unit: Unit) -> bool:
        return self.is_administrator or lobby.may_start(unit, self.person)

    def opened(self, unit: Unit) -> bool:
        assert unit.game is not None
        return self.is_administrator or lobby.may_decide(unit.game, self.person)

    def ends(self, unit: Unit) -> bool:
        return self.is_administrator or lobby.may_end(unit, self.person)


# What the handler of this update replied: python-telegram-bot's handlers return nothing to their caller.
REPLY: ContextVar[Reply | None] = ContextVar("reply", default=None)


async def _is_admin(context: ContextTypes.DEFAULT_TYPE, chat: int, person: int) -> bool:
    try:
        member: ChatMember = await context.bot.get_chat_member(chat, person)
    except TelegramError:  # a right is not given by an error
        return False
    return member.status in ADMINISTRATORS


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


def _move_down(unit: Unit) -> None:
    """The open lobby, or the board, is posted anew at the end of the chat."""
    game = unit.game
    assert game is not None
    if game.status == "lobby":
        show.lobby_anew(unit)
    else:
        show.board_anew(unit, play.standing(game))


def _only_opener(unit: Unit) -> str:
    assert unit.game is not None
    return say_plain("lobby_toast.only_starter", name=lobby.opener_name(unit.game))


def _only_starter(unit: Unit) -> str:
    return say_plain("lobby_toast.join_to_start") if show.anyone_starts(unit) else _only_opener(unit)


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
