"""Commands of who wants to read: in the group, and in the private chat, where all games of a person are told."""

from __future__ import annotations

import asyncio

from telegram import Update
from telegram.ext import ContextTypes

from db.records import GameRow, Person
from db.store import ByGame
from telegram_bot import hands, me, private, recap, reply, rulebook, screens, seats
from telegram_bot.handlers.base import Handlers, add_to_group, move_down, none_runs, rows_of
from telegram_bot.handlers.updates import GROUPS, message_of, opened, person_of
from telegram_bot.names import clean, html
from telegram_bot.reply import Reply
from telegram_bot.texts import Markup, say, say_plain


class Reading(Handlers):
    """/status, /hand, /recap, /games, /rules, /help, /start."""

    async def status(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = message_of(update)
        if message.chat.type not in GROUPS:
            return await self.games(update, context)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            if unit.game is None:
                return reply.public(message, say("say.no_game"))
            move_down(unit)
        return None

    async def hand(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The panel: in an ephemeral message where the command was one (the others do not see it), else in the private
        chat; without one, a line with the button that opens it."""
        since = asyncio.get_running_loop().time()
        message, person = message_of(update), person_of(message_of(update))
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
                aside = self._aside(unit, person.id)
            is_open = unit.people[person.id].private == "open"
            wanted = screens.call(game, row, unit.now, me.username())
        if command is not None:
            if await self.asides.show(context.bot, aside, aside.following(command), since):
                return None
            async with self.store.press(update_id=None, find=ByGame(game.id), person=person) as unit:
                hands.bring(unit, person.id)
        if is_open:
            return None
        return reply.public(message, say("say.hand_in_private", name=Markup(html(row.name))), rows_of(wanted.rows))

    async def _all_hands(self, update: Update, person: Person) -> Reply | None:
        async with self._at_last(update, opened(person)) as is_new:
            is_new = is_new and await self._is_no_flood(update)
            found = [game for game in await self.store.games_of(person.id) if game.status != "lobby"]
            for game in found if is_new else ():
                async with self.store.press(update_id=None, find=ByGame(game.id), person=opened(person)) as unit:
                    hands.bring(unit, person.id)
        if found or not is_new:
            return None
        return private.message(person.id, say("say.no_games"), reply.buttons(add_to_group()))

    async def recap(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """What happened since its writer last looked: in the private chat if there is one; the group has seen it."""
        message, person = message_of(update), person_of(message_of(update))
        if person is None:
            return None
        if message.chat.type not in GROUPS:
            return await self._all_recaps(update, person)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            game = unit.game
            if game is None or game.status == "lobby":
                return reply.public(message, none_runs(game))
            unit.looked()
            awaited = recap.awaited(unit)
            is_open = unit.people[person.id].private == "open"
        told = await self._recap(game, person, awaited, recap.LINES)
        if is_open and private.ephemeral_id(message) is None:
            return private.message(person.id, told)
        return reply.public(message, told)

    async def _recap(self, game: GameRow, person: Person, awaited: str, most: int) -> str:
        log = await self.store.events(game.id, turns=recap.LOG)
        return recap.page(log, await self.store.seen_before(game.id, person.id), screens.names_of(game), awaited, most)

    async def _all_recaps(self, update: Update, person: Person) -> Reply | None:
        """Of all games of a person, each under the name of its group, as many as one message takes; the others are
        not looked at, and come the next time."""
        async with self._at_last(update, opened(person)) as is_new:
            return await self._recaps_of(person) if is_new and await self._is_no_flood(update) else None

    async def _recaps_of(self, person: Person) -> Reply:
        told: list[str] = []
        games = [game for game in await self.store.games_of(person.id) if game.status != "lobby"]
        for game in games:
            async with self.store.press(update_id=None, find=ByGame(game.id), person=opened(person)) as unit:
                if unit.game is None or not unit.game.open:
                    continue
                awaited = recap.awaited(unit)
            most = max(recap.LINES // len(games), 2 + recap.IN_THE_MORNING)
            title = say("recap.game", title=screens.named(await self._title(game)))
            page = f"{title}\n{await self._recap(game, person, awaited, most)}"
            if told and private.length("\n\n".join([*told, page])) > recap.LONGEST:
                told.append(say("recap.more", n=len(games) - games.index(game)))
                break
            told.append(page)
            async with self.store.press(update_id=None, find=ByGame(game.id), person=opened(person)) as unit:
                unit.looked()
        if not told:
            return private.message(person.id, say("say.no_games"), reply.buttons(add_to_group()))
        return private.message(person.id, "\n\n".join(told))

    async def games(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """All games of a person, in the private chat."""
        message, person = message_of(update), person_of(message_of(update))
        if person is None:
            return None
        if message.chat.type in GROUPS:
            link = {"url": f"https://t.me/{me.username()}?start=games"}
            return reply.public(message, say("say.games_in_private"), [[(say_plain("board.button_private"), link)]])
        if not await self._is_new(update, opened(person)):
            return None
        found = await self.store.games_of(person.id)
        titles = {game.chat_id: await self._title(game) for game in found}
        text, rows = hands.list_of(found, person.id, titles)
        return private.message(person.id, text, reply.buttons(rows))

    async def _title(self, game: GameRow) -> str:
        chat = await self.store.chat(game.chat_id)
        return clean(chat.title or "") if chat is not None else clean("")

    async def rules(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        if not await self._is_new(update, None):
            return None
        query = " ".join(context.args or ())
        return reply.public(message_of(update), rulebook.about(query) if query else rulebook.short())

    async def help(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message, person = message_of(update), person_of(message_of(update))
        in_group = message.chat.type in GROUPS
        if not await self._is_new(update, None if person is None or in_group else opened(person)):
            return None
        if in_group:
            return reply.public(message, say("say.help_group"))
        return reply.public(message, say("say.help_private"), add_to_group())

    async def start(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The private chat opens, perhaps by the link of a board: the hands that waited for it come now."""
        message, person = message_of(update), person_of(message_of(update))
        if message.chat.type in GROUPS or person is None:
            return await self.help(update, context)
        welcome = say("say.welcome", name=Markup(html(person.name)))
        payload = " ".join(context.args or ())
        if payload == "games":
            return await self.games(update, context)
        game_id = hands.game_of_link(payload)
        if game_id is None:
            if not await self._is_new(update, opened(person)):
                return None
            return private.message(person.id, welcome, reply.buttons(add_to_group()))
        async with self.store.press(update_id=update.update_id, find=ByGame(game_id), person=opened(person)) as unit:
            self._drop_a_flood(unit, message)
            if unit.fresh and not hands.bring(unit, person.id):
                return private.message(person.id, welcome, reply.buttons(add_to_group()))
        return None
