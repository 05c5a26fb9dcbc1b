"""Commands in the group about its time: the clock, who is awaited, and days away."""

from __future__ import annotations

from collections.abc import Callable

from telegram import Update
from telegram.ext import ContextTypes

from db.records import SeatRow
from db.store import Unit
from telegram_bot import holiday, lobby, pace, reply, screens, votes, waiting
from telegram_bot.handlers.base import Handlers, in_groups, none_runs, rows_of
from telegram_bot.handlers.updates import message_of, person_of
from telegram_bot.reply import Reply
from telegram_bot.texts import Markup, say, say_plain


class Times(Handlers):
    """/pause, /resume, /pace, /nudge, /blame, /holiday, /back."""

    @in_groups
    async def pause(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._asked(update, context, "pause")

    @in_groups
    async def resume(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._asked(update, context, "resume")

    @in_groups
    async def pace(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/pace 10m 1h: of the lobby at once, of a game in play by a vote; without a pace, the one that is."""
        message, person = message_of(update), person_of(message_of(update))
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
        """What a majority or an administrator decides."""
        message, person = message_of(update), person_of(message_of(update))
        rights = await self._rights(message, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            why = votes.ask(unit, what, person, rights.decides(unit, what))
        return None if why is None else reply.public(message, why)

    @in_groups
    async def nudge(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = message_of(update), person_of(message_of(update))
        async with self._at_place(update) as unit:
            if not unit.fresh or person is None:
                return None
            if unit.game is None or unit.game.status == "lobby":
                return reply.public(message, none_runs(unit.game))
            return reply.public(message, waiting.nudge(unit, person.id))

    @in_groups
    async def blame(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = message_of(update)
        async with self._at_place(update) as unit:
            game = unit.game
            if not unit.fresh:
                return None
            if game is None or game.status == "lobby":
                return reply.public(message, none_runs(game))
            nudge = screens.button(say_plain("nudge.button"), game, "board", "nudge", version=0)
            return reply.public(message, waiting.blame(unit), rows_of(((nudge,),)) if game.status == "playing" else ())

    @in_groups
    async def holiday(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._away(update, lambda unit, row, words: holiday.announce(unit, row, words))

    @in_groups
    async def back(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        return await self._away(update, lambda unit, row, words: holiday.end(unit, row))

    async def _away(self, update: Update, does: Callable[[Unit, SeatRow, str], Markup]) -> Reply | None:
        """/holiday and /back, of who sits in the game here."""
        message, person = message_of(update), person_of(message_of(update))
        words = " ".join((message.text or "").split()[1:])
        async with self._at_place(update) as unit:
            if not unit.fresh or person is None:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, none_runs(game))
            row = game.seat_of(person.id)
            return reply.public(message, say("say.not_in_game") if row is None else does(unit, row, words))
