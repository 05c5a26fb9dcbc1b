"""Two worlds in which the same happens at the same hours, but for hidden cards; and what each of their people may know.

Whoever holds a hidden card that differs does the same before the eyes of others: discards *a* card, gives *a* card. As
long as the rules have shown a reader no difference, what comes to that reader over the wire is the same, byte by byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, zip_longest
from random import Random

import core
from core import Choice, Event, Seat, Step, players
from core.events import CardDiscarded
from db.records import GameRow, Timer
from telegram_bot import clock, happenings, orders, pace, play, seats
from telegram_bot.callback import Pressed
from telegram_bot.memo import memo_of
from tests.core.test_two_worlds import may_differ
from tests.worlds.world import Chance, Data, World, hour

NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")
HIDDEN = ("discard", "give", "keep", "forget", "swap")  # choices of which others see no more than that they were made
COMMANDS = ("/status", "/blame", "/nudge", "/recap", "/hand", "/extend", "/games", "/doctor")
PAGES = ("table", "know", "front", "claims", "prepare", "bring")


def public(choice: Choice) -> Choice:
    """A choice as those see it who see nothing of the hand."""
    return choice[:1] if choice[0] in HIDDEN else choice


class Twins:
    """Two worlds, and a game after another in both."""

    def __init__(self, one: World, other: World, chance: Chance) -> None:
        self.worlds = (one, other)
        self.chance = chance
        self.checked = 0  # calls that were the same for a reader who could know no difference
        self.numbers, self.games = count(1), count(1)

    async def evening(self, tables: Sequence[str], dice: Random, answers: int, wish: Sequence[str] = ()) -> Evening:
        """So many answers in a game that goes on from these two tables; *wish*: what to play where it can be."""
        evening = Evening(self, tables, dice, wish)
        await evening.gather()
        await evening.play(answers)
        return evening


class Evening:
    """A game in both worlds. *same* are the seats that cannot know any difference, and None while the group cannot."""

    def __init__(self, twins: Twins, tables: Sequence[str], dice: Random, wish: Sequence[str]) -> None:
        self.twins, self.worlds, self.dice, self.wish, self.tables = twins, twins.worlds, dice, wish, tables
        number, table = next(twins.games), core.thaw(tables[0])
        self.people = {f"s{i}": person(1000 * number + i, NAMES[i - 1]) for i in range(1, len(table.roles) + 1)}
        self.zoe = person(1000 * number + 99, "Zoe")  # who takes over the seat of somebody that is away
        self.group = -1_000_000 - number
        self.same: set[Seat | None] = set()
        self.told: set[int] = set()  # the people who have seen a hand that differs
        self.absent: set[Seat] = set()
        self.answers, self.over = 0, False
        self._queries = count(1)
        self._events = [0, 0]
        self._seen: dict[tuple[str, int], int] = {}

    # --- the lobby ---

    async def gather(self) -> None:
        dice, people, bots = self.dice, list(self.people.values()), self.dice.choice((0, 0, 1, 2))
        with_chat = [one for one in [*people, self.zoe] if dice.random() < 0.7]
        for world in self.worlds:
            world.telegram.started |= {one["id"] for one in with_chat}
        for one in with_chat:
            await self.write(one, "/start", private=True)
        self.twins.chance.seed = f"{dice.random()}"
        await self.write(people[0], "/newgame")
        for world in self.worlds:
            world.game_id = (await world.store.games_in(self.group))[0].id
        await self.write(people[0], f"/pace {dice.choice(('blitz', 'evening', 'day', '10m 5m'))}")
        for one in people[1 : len(people) - bots]:
            await self.press(one, "lobby", "join")
        for seat in list(self.people)[len(people) - bots :]:
            await self.press(people[0], "lobby", "bot")
            del self.people[seat]
        await self.forward(60)
        self.twins.chance.tables += self.tables
        await self.press(people[0], "lobby", "start")
        self.absent = {seat for seat in self.people if dice.random() < 0.15}
        one, other = await self.steps()
        self.same = {seat for seat in (None, *one.table.roles) if core.view(one, seat) == core.view(other, seat)}
        assert None in self.same, "these tables do not look the same"
        await self.forward(0)
        await self.compare()

    # --- what is done in both ---

    async def write(self, who: Data, words: str, private: bool = False) -> None:
        number, entity = next(self._queries), {"type": "bot_command", "offset": 0, "length": len(words.split()[0])}
        message = {"message_id": 5000 + number, "date": 1_790_000_000, "from": who, "chat": self._chat(who, private)}
        update = {"update_id": next(self.twins.numbers), "message": message | {"text": words, "entities": [entity]}}
        for world in self.worlds:
            await world.take(update)

    def _chat(self, who: Data, private: bool) -> Data:
        if private:
            return {"id": who["id"], "type": "private", "first_name": who["first_name"]}
        return {"id": self.group, "type": "supergroup", "title": "The camp"}

    async def press(self, who: Data, room: str, what: str, number: int = 0, version: int = 0) -> None:
        """The same press in both worlds."""
        data = str(Pressed(room, self.worlds[0].game_id, what, version, number))  # type: ignore[arg-type]
        await self._press(who, dict.fromkeys(self.worlds, data), room == "panel")

    async def _press(self, who: Data, data: Mapping[World, str], in_hand: bool = True) -> None:
        """On a hand: in the private chat, or on the ephemeral message of who has none."""
        query, private = str(next(self._queries)), in_hand and who["id"] in self.worlds[0].telegram.started
        message = {"message_id": 1, "date": 1_790_000_000, "chat": self._chat(who, private), "text": "..."}
        if in_hand and not private:
            message |= {"message_id": 0, "ephemeral_message_id": 1}
        number = next(self.twins.numbers)
        for world, pressed in data.items():
            world.telegram.queries[query] = who["id"]
            made = {"id": query, "from": who, "chat_instance": "1", "data": pressed, "message": message}
            await world.take({"update_id": number, "callback_query": made})

    async def forward(self, seconds: float) -> None:
        for world in self.worlds:
            await world.forward(max(0.0, seconds))

    async def wait(self, seconds: float) -> None:
        """Time passes. Who passes by itself in one world, and in the other holds a defence, passes there by hand then.

        So does whose order was prepared in one of them alone: both worlds get the same hours.
        """
        end = self.worlds[0].at + seconds
        while not self.over:
            due = await self.due()
            soonest = min((at(timer) for timers in due for timer in timers.values()), default=end + 1)
            if soonest > end:
                break
            hands = [
                (world, seat)
                for world, mine, others in zip(self.worlds, due, reversed(due), strict=True)
                for seat, timer in others.items()
                if at(timer) == soonest and at(mine[seat]) > soonest
            ]
            steps = await self.steps()
            await self.forward(soonest - self.worlds[0].at)
            for slow, seat in hands:
                # Only who knows of the difference can answer by itself in one world and not in the other.
                assert seat not in self.same, f"{seat} answers by itself in one world"
                await self.answer_as_in_the_other(slow, seat, steps[self.worlds.index(slow)])
            await self.forward(0)
            await self.compare()
        await self.forward(end - self.worlds[0].at)

    async def due(self) -> list[dict[Seat, Timer]]:
        """What answers first for each seat that is asked, in both worlds."""
        found = []
        for world in self.worlds:
            timers = [t for t in (await world.game()).timers if t.kind in clock.ANSWERS]
            found.append({t.seat or "": t for t in sorted(timers, key=at, reverse=True)})
        return found

    async def steps(self) -> tuple[Step, Step]:
        one, other = self.worlds
        return await one.step(), await other.step()

    async def answer_as_in_the_other(self, slow: World, seat: Seat, step: Step) -> None:
        fast = self.worlds[1 - self.worlds.index(slow)]
        given = (await fast.store.answers(fast.game_id))[self.answers :]
        if given:
            choice = next(c for c in step.asks[seat].choices if public(c) == public(given[-1].choice))
            await self._answer(seat, {slow: choice}, {slow: step})

    # --- an evening ---

    async def play(self, answers: int) -> None:
        """So many answers, or fewer where the group comes to know a difference."""
        for _ in range(3 * answers):
            if self.answers >= answers or self.over:
                break
            kind = self.dice.random()
            if self.people and kind < 0.15:
                await self.something_else(self.dice.choice(list(self.people)))
            elif self.people and kind < 0.25:
                await self.prepare(self.dice.choice(list(self.people)))
            else:
                await self.somebody_answers()
            await self.compare()
        for world in self.worlds:
            await world.close_game()

    async def somebody_answers(self) -> None:
        """A person answers after a while, or time passes until the clock, a bot player or an order has answered."""
        one, other = await self.steps()
        game, due, now = await self.worlds[0].game(), await self.due(), self.worlds[0].at
        willing = [
            row.seat
            for row in game.roster
            if row.seat in one.asks and seats.player_of(row) is not None and row.seat not in self.absent
            if at(due[0][row.seat]) == at(due[1][row.seat])
        ]
        delay = round(self.dice.uniform(1, 40), 3)
        soonest = min(at(timer) for timers in due for timer in timers.values())
        if not willing or now + delay >= soonest or game.status != "playing":
            return await self.wait(max(soonest - now, 0.0))
        await self.forward(delay)
        await self.answer(self.dice.choice(willing), one, other)

    async def somebody_is_late(self) -> None:
        """Time runs out in one world; in the other the same answer is pressed at that very hour."""
        one, other = self.worlds
        due, step = (await self.due())[0], await other.step()
        seat = min(due, key=lambda asked: due[asked].at)
        if due[seat].kind != pace.DEADLINE:
            return await self.forward(at(due[seat]) - one.at)
        await one.forward(at(due[seat]) - one.at)
        await other.stand_at(one.at)
        await self._answer(seat, {other: players.clock.answer_for(step, seat)}, {other: step})
        await self.forward(0)

    async def answer(self, seat: Seat, one: Step, other: Step) -> None:
        """The same answer to the eyes of others; rather one that hides the difference, or what the test wishes for."""
        pairs = [
            (here, there)
            for here in one.asks[seat].choices
            for there in other.asks[seat].choices
            if (here == there if seat in self.same else public(here) == public(there))
        ]
        if not pairs:
            self.over = True
            return
        wished = [pair for pair in pairs if pair[0][0] in ("play", "defend") and pair[0][1] in self.wish]
        telling = [pair for pair in pairs if pair[0] != pair[1]]
        chosen = self.dice.choice(wished or (telling if telling and self.dice.random() < 0.7 else pairs))
        if self.dice.random() < 0.3:
            await self.look(seat)
        await self._answer(
            seat, dict(zip(self.worlds, chosen, strict=True)), dict(zip(self.worlds, (one, other), strict=True))
        )
        await self.forward(0)

    async def _answer(self, seat: Seat, choices: Mapping[World, Choice], steps: Mapping[World, Step]) -> None:
        data = {}
        for world, choice in choices.items():
            game = await world.game()
            number, version = steps[world].asks[seat].choices.index(choice), memo_of(game).asked[seat]
            data[world] = str(Pressed("panel", game.id, "choose", version, number))
        await self._press(self._player(game, seat), data)

    def _player(self, game: GameRow, seat: Seat) -> Data:
        row = game.seat(seat)
        assert row is not None
        return next(one for one in [*self.people.values(), self.zoe] if one["id"] == seats.player_of(row))

    async def look(self, seat: Seat) -> None:
        """Somebody turns the pages of the own hand, or asks for it in the group."""
        if self.dice.random() < 0.5:
            await self.press(self.people[seat], "board", self.dice.choice(("hand", "say")))
        else:
            await self.press(self.people[seat], "panel", self.dice.choice(PAGES))
        await self.forward(0)

    async def prepare(self, seat: Seat) -> None:
        """An order ahead, which looks the same to others even where it is not."""
        steps, slot = await self.steps(), self.dice.choice(orders.SLOTS)
        if seat not in steps[0].table.seats:
            return
        here, there = (orders.may_prepare(core.view(step, seat), slot) for step in steps)
        pairs = [(a, b) for a in here for b in there if (a == b if seat in self.same else public(a) == public(b))]
        if pairs:
            data = {}
            for world, choice in zip(self.worlds, self.dice.choice(pairs), strict=True):
                version = (await world.game()).version
                data[world] = str(
                    Pressed("panel", world.game_id, f"order_{slot}", version, orders.number(choice))
                )
            await self._press(self.people[seat], data)
            await self.forward(0)

    async def something_else(self, seat: Seat) -> None:
        """What people do beside their answers."""
        somebody = self.people[seat]
        match self.dice.randrange(10):
            case 0 | 1:
                await self.write(somebody, self.dice.choice(COMMANDS))
            case 2:
                await self.write(somebody, self.dice.choice(("/leave", "/holiday 1d")))
            case 3:
                for other in self.people.values():
                    await self.write(other, "/back")
            case 4:
                for number, row in enumerate((await self.worlds[0].game()).roster):
                    if seats.is_free(row):
                        await self.press(self.zoe, "absent", self.dice.choice(("take", "let_bot")), number)
            case 5:
                await self.press(somebody, "panel", "claim", self.dice.randrange(3 * len(self.people)))
            case 6:
                self.absent ^= {seat}
            case 7:
                await self.write(somebody, "/pause")
                await self.wait(20)
                await self.write(somebody, "/resume")
            case _:
                await self.look(seat)
        await self.wait(round(self.dice.uniform(0, 20), 3))

    # --- what may be known, and what was seen ---

    async def compare(self) -> None:
        """What has come over the wire is the same for everybody who could not know the difference."""
        if not self.over:
            await self.learn()
        if self.over:
            return
        readers = [("chat of", self.group), ("replies in", self.group)]
        for one in [*self.people.values(), self.zoe]:
            if one["id"] not in self.told:
                readers += [(what, one["id"]) for what in ("chat of", "replies in", "aside to", "presses of")]
        here, there = (world.telegram.seen for world in self.worlds)
        for reader in readers:
            since = self._seen.get(reader, 0)
            self._seen[reader] = len(here[reader])
            for left, right in zip_longest(here[reader][since:], there[reader][since:]):
                assert left == right, f"{reader}\n  {left}\n  {right}"
            self.twins.checked += len(here[reader]) - since

    async def learn(self) -> None:
        """What the answers since have told whom; all of them were given at the same hours."""
        games = [await world.game() for world in self.worlds]
        given = [(await world.store.answers(world.game_id))[self.answers :] for world in self.worlds]
        for here, there in zip(*given, strict=False):
            assert (here.seat, here.at) == (there.seat, there.at), (here, there)
            if public(here.choice) != public(there.choice):
                self.over = True  # who holds another hand has chosen otherwise: a bot player, or the clock against fire
                return
        more = [*given[0][len(given[1]) :], *given[1][len(given[0]) :]]
        if more and all(one.by == "order" and one.seat not in self.same for one in more):
            self.over = True  # a card was offered in the same go, which the other hand did not hold any more
            return
        assert not more, given
        self.answers += len(given[0])
        heard = [await world.store.events(world.game_id) for world in self.worlds]
        news = [
            [happenings.read(one.event) for one in events[since:]]
            for events, since in zip(heard, self._events, strict=True)
        ]
        self._events = [len(events) for events in heard]
        is_over = any(game.status == "over" for game in games)
        if is_over or surplus(news[0]) != surplus(news[1]) or is_told_apart(news, None):
            self.over = True  # from here on everybody may know better
            return
        self.same = {seat for seat in self.same if not is_told_apart(news, seat)}
        self.told |= {one["id"] for seat, one in self.people.items() if seat not in self.same}
        self.told |= {row.sitter for row in games[0].roster if row.sitter is not None and row.seat not in self.same}
        one, other = (play.standing(game) for game in games)
        for seat in self.same:
            here, there = core.view(one, seat), core.view(other, seat)
            assert here == there, [
                (name, getattr(here, name), getattr(there, name))
                for name in here.__struct_fields__
                if getattr(here, name) != getattr(there, name)
            ]


def is_told_apart(news: Sequence[Sequence[Event]], viewer: Seat | None) -> bool:
    """Whether the rules have told *viewer* a difference: a card it got, was shown, or saw face up."""
    here, there = ([seen for e in events if (seen := core.seen_by(e, viewer)) is not None] for events in news)
    for left, right in zip(here, there, strict=False):
        if left != right:
            assert may_differ(left, viewer) or may_differ(right, viewer), (left, right, viewer)
            return True
    assert len(here) == len(there), (here, there)
    return False


def surplus(events: Sequence[Event]) -> int:
    """How many times a fourth Infected! was discarded, before everybody's eyes (R9)."""
    return sum(isinstance(event, CardDiscarded) and event.surplus for event in events)


def at(timer: Timer) -> float:
    """When it rings, by the hours of a world."""
    return hour(timer.at)


def person(number: int, name: str) -> Data:
    return {"id": number, "is_bot": False, "first_name": name}
