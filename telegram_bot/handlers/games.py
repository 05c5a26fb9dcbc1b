"""Commands in the group that open, fill, start and end a game."""

from __future__ import annotations

from telegram import Update
from telegram.ext import ContextTypes

from telegram_bot import absent, gathering, lobby, own_deck, play, reply, seats, votes, waiting
from telegram_bot.handlers.base import Handlers, in_groups, move_down, only_opener, only_starter
from telegram_bot.handlers.updates import message_of, person_of, thread_of
from telegram_bot.names import html
from telegram_bot.reply import Reply
from telegram_bot.texts import Markup, say


class Games(Handlers):
    """/newgame, /join, /leave, /deck, /startgame, /nextgame, /extend, /endgame."""

    @in_groups
    async def newgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = message_of(update)
        person = person_of(message)
        callers = await self.store.callers(message.chat.id, thread_of(message))
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                lobby.open_lobby(unit, person, person.name if person else "An administrator")
                gathering.call(unit, callers)
            else:
                move_down(unit)
        return None

    @in_groups
    async def join(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = message_of(update), person_of(message_of(update))
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
            if row.seat not in play.standing(game).table.seats:
                return reply.public(message, say("say.burned"))
            if row.person == person.id and seats.is_taken_over(row):
                play.take_over(unit, row, "person")
        return None

    @in_groups
    async def leave(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = message_of(update), person_of(message_of(update))
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

    @in_groups
    async def deck(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/deck shows the deck of the lobby; with a list, or changes, it is made anew (R63)."""
        message, person = message_of(update), person_of(message_of(update))
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

    @in_groups
    async def startgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/startgame now; /startgame 20:30 or 45m sets the time, /startgame off takes it back."""
        message = message_of(update)
        wanted = " ".join((message.text or "").split()[1:]).lower()
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None or unit.game.status != "lobby":
                return reply.public(message, say("say.no_lobby" if unit.game is None else "say.game_on"))
            if not rights.starts(unit):
                return reply.public(message, say("say.told", text=only_starter(unit)))
            if wanted:
                at = gathering.read(wanted, unit)
                if at is None and wanted != "off":
                    return reply.public(message, say("startgame.how"))
                gathering.unset_start(unit) if at is None else gathering.set_start(unit, at)
                return None
            if why := lobby.start(unit):
                return reply.public(message, say("say.told", text=why))
        return None

    @in_groups
    async def nextgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """Call me when a game opens here, or no more."""
        message, person = message_of(update), person_of(message_of(update))
        if person is None:
            return None
        callers = await self.store.callers(message.chat.id, thread_of(message))
        async with self._at_place(update) as unit:
            return reply.public(message, gathering.call_on_or_off(unit, callers)) if unit.fresh else None

    @in_groups
    async def extend(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """A lobby stays open for longer; who is awaited in a game has the base time once more."""
        message, person = message_of(update), person_of(message_of(update))
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

    @in_groups
    async def endgame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = message_of(update), person_of(message_of(update))
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            if unit.game.status == "lobby":
                if not rights.opened(unit):
                    return reply.public(message, say("say.told", text=only_opener(unit)))
                lobby.call_off(unit, person.name if person else "an administrator")
            elif (why := votes.ask(unit, "end", person, rights.decides(unit, "end"))) is not None:
                return reply.public(message, why)
        return None
