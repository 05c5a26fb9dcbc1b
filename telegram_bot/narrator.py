"""The only place where a game becomes words: the line of a turn, what a player learnt alone, and the end.

What is worth saying is decided here; how, in seeds/texts. Nothing here knows more than the events it is given, as their
reader sees them, so no wording can depend on a secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeAlias

from core import Card, Event, Seat, Table, seen_by
from core.events import (
    CardDiscarded,
    CardDrawn,
    CardKept,
    CardLeftOnDeck,
    CardPassedOn,
    CardPlayed,
    DeckRenewed,
    Declared,
    Defended,
    DirectionTurned,
    DoorBarred,
    DoorRemoved,
    Eliminated,
    Exchanged,
    GameEnded,
    HandedOn,
    HandShown,
    NotExchanged,
    NothingShown,
    Offered,
    PanicDrawn,
    PanicsPassedOver,
    Quarantined,
    QuarantineEnded,
    SeatsKept,
    SeatsSwapped,
    TurnBegan,
    TurnedInfected,
    TurnedThing,
)
from telegram_bot import names as _names
from telegram_bot.happenings import AnyHappening, Claimed, SeatGivenBack, SeatTakenOver, TimeRanOut
from telegram_bot.texts import Markup, Sentence, fill, has, say, wordings

Names: TypeAlias = Mapping[Seat, str]

LONGEST = 3500  # characters of HTML that one message of the story may have; Telegram takes 4096 of text
_BRIEF = 1800  # from here on a turn is told in its shortest wordings
_RESERVE = 700  # of which kept for what must be told whatever else: a death, a declaration, the end

INFECTED: Card = "Infected!"
PARTY: Card = "So This Is the Party?"


# --- the line of a turn ---


def tell_turn(events: Iterable[Event], names: Names, seed: str, room: int = LONGEST) -> str:
    """The events of a turn as a story in HTML, as the group may read it, in at most *room* characters.

    It grows: the story of the first events is the beginning of the story of all of them. *seed* is the public seed of
    the game's wordings.
    """
    story = _Story(names, seed, room)
    for event in events:
        if (public := seen_by(event, None)) is not None:
            story.tell(public)
    return story.text


def by_turn(events: Iterable[Event]) -> list[list[Event]]:
    """Events cut where a turn begins."""
    turns: list[list[Event]] = []
    for event in events:
        if isinstance(event, TurnBegan) or not turns:
            turns.append([])
        turns[-1].append(event)
    return turns


class _Story:
    """A turn as it is told: each event adds its sentences to *text*, and takes nothing back."""

    def __init__(self, names: Names, seed: str, room: int) -> None:
        self.text = ""
        self._names, self._seed, self._room = names, seed, room
        self._full = False
        self._turn = 0
        self._actor: Seat | None = None
        self._said: dict[str, Counter[int]] = {}  # the wordings used in this turn, by kind
        self._panic: Card | None = None  # the PANIC! card being resolved
        self._vain: Card | None = None  # a PANIC! card that has done nothing so far
        self._played: Card | None = None  # the card played last
        self._three = 0  # cards drawn by Resolute, of which one stays
        self._unsaid = 0  # discards that a sentence has told already
        self._charmed = False  # the offer that comes has been announced
        self._instead = False  # Missed! has handed the offer on
        self._burned: Seat | None = None
        self._apart = False  # the next sentence begins a line, whatever it is

    def tell(self, event: Event) -> None:
        if not isinstance(event, AnyHappening):
            if self._vain and not isinstance(event, (QuarantineEnded, DoorRemoved, HandShown, Declared)):
                self._say(f"story.in_vain.{self._vain}", seat=self._actor)
            self._vain = None
        if (teller := _TELLERS.get(type(event))) is not None:
            teller(self, event)

    # What each event adds. Those that a sentence before or after tells as well are silent.

    def turn_began(self, event: TurnBegan) -> None:
        self._turn, self._actor = event.turn, event.seat
        self.text += say("story.header", turn=event.turn, seat=self._name(event.seat))
        if event.turn == 1:
            self._say("story.first", line=True)

    def card_drawn(self, event: CardDrawn) -> None:
        if self._played == "Resolute":
            self._three += event.replacement
        if event.face_up and event.card is not None:
            self._say("story.drawn_open", seat=event.seat, card=event.card)

    def card_discarded(self, event: CardDiscarded) -> None:
        if event.face_up and event.card is not None:
            self._unsaid = max(0, self._unsaid - 1)
            self._three -= event.surplus and self._played == "Resolute"
            self._say("story.discard_open", seat=event.seat, card=event.card)
        elif event.surplus:
            self._three -= self._played == "Resolute"
            self._say("story.surplus", seat=event.seat)
        elif self._panic == "Forgetful" and event.seat == self._actor:
            self._panic = None
            self._unsaid = 2
            self._say("story.forgot", seat=event.seat)
        elif self._unsaid:
            self._unsaid -= 1
        elif self._played:
            self._say("story.discard_again", seat=event.seat)
        else:
            # Only a quiet turn has room for the weather.
            if self._turn > 1 and Random(f"{self._seed}/mood/{self._turn}").random() < 0.5:
                self._say("story.opening")
            self._say("story.discard", seat=event.seat)

    def card_kept(self, event: CardKept) -> None:
        self._unsaid = max(0, self._three - 1)
        self._three = 0
        self._say("story.kept", seat=event.seat)

    def panics_passed_over(self, event: PanicsPassedOver) -> None:
        self._say("story.passed_over", n=event.number)

    def deck_renewed(self, event: DeckRenewed) -> None:
        self._say("story.renewed")

    def card_played(self, event: CardPlayed) -> None:
        self._played = event.card
        self._three = 0
        self._charmed = event.card == "Seduction"
        kind = "played_on_self" if event.at == event.seat else "played"
        key = f"story.{kind}.{event.card}"
        self._say(key if has(key) else f"story.played.{event.card}", seat=event.seat, at=event.at, card=event.card)

    def panic_drawn(self, event: PanicDrawn) -> None:
        self._panic = event.card
        self._charmed = event.card == "Can't We Be Friends?"
        self._vain = event.card if has(f"story.in_vain.{event.card}") else None
        self._say(f"story.panic.{event.card}", line=True, seat=event.seat, card=event.card)

    def defended(self, event: Defended) -> None:
        self._say(f"story.defended.{event.card}", seat=event.seat, giver=event.of, card=event.card)

    def handed_on(self, event: HandedOn) -> None:
        self._instead = event.substitute is not None
        key = "story.handed_on.nobody" if event.substitute is None else "story.handed_on.to"
        self._say(key, giver=event.giver, seat=event.seat, substitute=event.substitute)

    def offered(self, event: Offered) -> None:
        key = "story.offered_then" if self._charmed else "story.offered"
        self._charmed = self._instead = False
        self._say(key, giver=event.giver, taker=event.taker)

    def exchanged(self, event: Exchanged) -> None:
        if event.given is not None and event.returned is not None:
            given, returned = _card(event.given), _card(event.returned)
            return self._say(
                "story.exchanged_open", giver=event.giver, taker=event.taker, given=given, returned=returned
            )
        key = "story.exchanged_instead" if self._instead else "story.exchanged"
        self._say(key, giver=event.giver, taker=event.taker)

    def not_exchanged(self, event: NotExchanged) -> None:
        key = "door" if event.why == "Barred Door" else "quarantine"
        self._say(f"story.not_exchanged.{key}", seat=event.seat, other=event.other)

    def card_passed_on(self, event: CardPassedOn) -> None:
        if self._panic == "Round and Round":
            self._panic = None
            self._say("story.round")
        if event.face_up and event.card is not None:
            self._say("story.round_open", giver=event.giver, taker=event.taker, card=event.card)

    def hand_shown(self, event: HandShown) -> None:
        if event.by == "Just Between Us..." and event.to:
            self._say(f"story.shown.{event.by}", seat=event.seat, friend=event.to[0])
        elif event.cards is None:  # the card that asked for it has told who saw what
            pass
        elif event.by == "Revelations" and INFECTED in event.cards:
            key = "one" if len(event.cards) == 1 else "hand"
            self._say(f"story.shown_infected.{key}", seat=event.seat, card=INFECTED, cards=_cards(event.cards))
        else:
            self._say(f"story.shown.{event.by}", seat=event.seat, cards=_cards(event.cards))

    def nothing_shown(self, event: NothingShown) -> None:
        self._say("story.nothing_shown.any", seat=event.seat)

    def card_left_on_deck(self, event: CardLeftOnDeck) -> None:
        self._say("story.left_on_deck", seat=event.seat)

    def seats_swapped(self, event: SeatsSwapped) -> None:
        also = self._panic == PARTY and "story.seats.swapped" in self._said
        self._say("story.seats.also" if also else "story.seats.swapped", one=event.one, other=event.other)

    def seats_kept(self, event: SeatsKept) -> None:
        self._say("story.seats.kept_quarantine" if event.why else "story.seats.kept_nobody", seat=event.seat)

    def direction_turned(self, event: DirectionTurned) -> None:
        self._say("story.direction.clockwise" if event.clockwise else "story.direction.counter")

    def door_barred(self, event: DoorBarred) -> None:
        self._say("story.door.barred", left=event.left, right=event.right)

    def door_removed(self, event: DoorRemoved) -> None:
        self._say("story.door.removed", left=event.left, right=event.right)

    def quarantined(self, event: Quarantined) -> None:
        self._say("story.quarantine.begun", seat=event.seat, n=event.turns)

    def quarantine_ended(self, event: QuarantineEnded) -> None:
        if event.seat != self._burned:
            self._say("story.quarantine.spent" if event.spent else "story.quarantine.removed", seat=event.seat)

    def eliminated(self, event: Eliminated) -> None:
        self._burned = event.seat
        self._say("story.burned.any", line=True, must=True, seat=event.seat, by=event.by)
        self._apart = True

    def declared(self, event: Declared) -> None:
        key = "story.declared.true" if event.true else "story.declared.false"
        self._say(key, line=True, must=True, seat=event.seat)

    def game_ended(self, event: GameEnded) -> None:
        why = _WHYS[event.why]
        if why == "thing_burned" and not event.winners:
            why = "thing_burned_nobody"
        self._say(f"story.ended.{why}", must=True)

    def time_ran_out(self, event: TimeRanOut) -> None:
        self._say("story.clock.ran_out", line=True, seat=event.seat)

    def seat_taken_over(self, event: SeatTakenOver) -> None:
        self._say("story.seat.taken_over", line=True, seat=event.seat)

    def seat_given_back(self, event: SeatGivenBack) -> None:
        self._say("story.seat.given_back", line=True, seat=event.seat)

    def claimed(self, event: Claimed) -> None:
        if event.about == event.seat:
            self._say(f"story.claim.self_{event.what}", line=True, seat=event.seat)
        else:
            self._say(f"story.claim.other_{event.what}", line=True, seat=event.seat, about=event.about)

    # How it is said.

    def _say(self, kind: str, *, line: bool = False, must: bool = False, **values: Any) -> None:
        """The next sentences, in the wording of their *kind* whose turn it is; *line*: on a line of their own."""
        filled = {place: self._filled(place, value) for place, value in values.items() if value is not None}
        if "n" in values:
            filled["number"] = _in_words(values["n"])
        said = fill(self._wording(kind), filled)
        if not must:
            if self._full:
                return
            if self._room - len(self.text) - len(said) <= min(_RESERVE, self._room // 4):
                self._full, said, line = True, say("story.full.page"), True
        if len(self.text) + 1 + len(said) > self._room:
            return
        alone = line or self._apart or "\n" not in self.text
        self._apart = False
        self.text += ("\n" if alone else " ") + said if self.text else said

    def _wording(self, kind: str) -> Sentence:
        sentences = wordings(kind)
        if len(self.text) > min(_BRIEF, self._room // 2):
            return min(sentences, key=lambda sentence: len(str(sentence)))
        used = self._said.setdefault(kind, Counter())
        number = next_wording(len(sentences), self._seed, kind, self._turn, used)
        used[number] += 1
        return sentences[number]

    def _filled(self, place: str, value: Seat | int | Markup) -> object:
        if isinstance(value, (int, Markup)):
            return value
        return _card(value) if place == "card" else self._name(value)

    def _name(self, seat: Seat) -> Markup:
        return _named(self._names, seat)


_TELLERS: dict[type[Event], Callable[..., None]] = {
    TurnBegan: _Story.turn_began,
    CardDrawn: _Story.card_drawn,
    CardDiscarded: _Story.card_discarded,
    CardKept: _Story.card_kept,
    PanicsPassedOver: _Story.panics_passed_over,
    DeckRenewed: _Story.deck_renewed,
    CardPlayed: _Story.card_played,
    PanicDrawn: _Story.panic_drawn,
    Defended: _Story.defended,
    HandedOn: _Story.handed_on,
    Offered: _Story.offered,
    Exchanged: _Story.exchanged,
    NotExchanged: _Story.not_exchanged,
    CardPassedOn: _Story.card_passed_on,
    HandShown: _Story.hand_shown,
    NothingShown: _Story.nothing_shown,
    CardLeftOnDeck: _Story.card_left_on_deck,
    SeatsSwapped: _Story.seats_swapped,
    SeatsKept: _Story.seats_kept,
    DirectionTurned: _Story.direction_turned,
    DoorBarred: _Story.door_barred,
    DoorRemoved: _Story.door_removed,
    Quarantined: _Story.quarantined,
    QuarantineEnded: _Story.quarantine_ended,
    Eliminated: _Story.eliminated,
    Declared: _Story.declared,
    GameEnded: _Story.game_ended,
    TimeRanOut: _Story.time_ran_out,
    SeatTakenOver: _Story.seat_taken_over,
    SeatGivenBack: _Story.seat_given_back,
    Claimed: _Story.claimed,
}

_WHYS = {
    "The Thing burned": "thing_burned",
    "no Human is left": "no_human",
    "no Human is left and nobody was eliminated": "thing_alone",
    "The Thing was wrong": "false_declaration",
    "one player is left": "last_one",
    "one faction is left": "one_faction",
}


def next_wording(number: int, seed: str, kind: str, turn: int, used: Counter[int] | None = None) -> int:
    """Which of the *number* wordings of a *kind* to use in that turn; the turn has *used* those before.

    They are split in two halves for the whole game, and each half is shuffled anew each time round: what was said does
    not come again before half of the others could have.
    """
    used = used or Counter()
    lap, at = divmod(turn + used.total() * (number // 2), number)
    order = _round_of(number, seed, kind, lap)
    least = min(used[i] for i in range(number))
    return next(i for i in order[at:] + order[:at] if used[i] == least)


@cache
def _halves(number: int, seed: str, kind: str) -> tuple[list[int], list[int]]:
    order = list(range(number))
    Random(f"{seed}/{kind}").shuffle(order)
    return order[number // 2 :], order[: number // 2]


def _round_of(number: int, seed: str, kind: str, lap: int) -> list[int]:
    dice = Random(f"{seed}/{kind}/{lap}")
    return [i for half in _halves(number, seed, kind) for i in dice.sample(half, len(half))]


# --- what a player learnt alone ---


def tell_private(event: Event, me: Seat, names: Names) -> str | None:
    """A line in HTML for what *me* learnt from *event*; None for what *me* may not know, or need not keep in mind."""
    seen = seen_by(event, me)

    def told(key: str, **values: Seat | Sequence[Card]) -> str:
        return say(f"private.{key}", **{place: _private(names, place, value) for place, value in values.items()})

    match seen:
        case CardDrawn(card=str(card), seat=seat):
            return told("drew" if seat == me else "drew_open", seat=seat, card=card)
        case CardDiscarded(card=str(card), surplus=surplus, seat=seat):
            key = "discarded_open" if seat != me else "surplus" if surplus else "discarded"
            return told(key, seat=seat, card=card)
        case CardLeftOnDeck(card=str(card)):
            return told("left_on_deck", card=card)
        case Exchanged(given=str(given), returned=str(returned), giver=giver, taker=taker):
            if me == giver:
                return told("exchanged", seat=taker, given=given, got=returned)
            if me == taker:
                return told("exchanged", seat=giver, given=returned, got=given)
            return told("exchanged_open", seat=giver, other=taker, given=given, got=returned)
        case CardPassedOn(card=str(card), giver=giver, taker=taker):
            key = "passed_on" if me == giver else "was_passed" if me == taker else "passed_open"
            return told(key, seat=giver, other=taker, card=card)
        case TurnedInfected(seat=seat, by=by):
            return told("was_infected", seat=by) if seat == me else told("infected", seat=seat)
        case TurnedThing():
            return told("became_thing")
        case HandShown(seat=seat, by=by, to=to, cards=tuple(cards)):
            if seat != me:
                return told("saw_all" if to is None else "saw", seat=seat, card=by, cards=cards)
            if to is None:
                return told("showed_all", card=by, cards=cards)
            return told("showed", seat=to[0], card=by, cards=cards)
        case Eliminated(seat=seat, by=by) if seat == me:
            return told("burned", seat=by)
        case _:
            return None


def _private(names: Names, place: str, value: Seat | Sequence[Card]) -> Markup:
    if not isinstance(value, str):
        return _cards(value)
    return _named(names, value) if place in ("seat", "other") else _card(value)


# --- the end ---


def tell_end(table: Table, names: Names) -> str:
    """The end of a game as HTML: why it ended, who won, every role, who infected and burned whom."""
    assert table.outcome is not None
    why, winners = _WHYS[table.outcome.why], table.outcome.winners
    lines = [_headline(table, why, names), _winners(table, winners, names)]
    late = table.last_infected if table.options.last_infected_loses else None
    if late is not None and late in table.seats and why in ("no_human", "one_faction"):
        lines.append(say("end.told.late", name=_named(names, late)))
    lines += _roles(table, names, told=winners)
    return _page([*lines, _grin(table, winners)], lambda: [*lines[:2], *_roles(table, names, told=winners, brief=True)])


def tell_roles(table: Table, names: Names) -> str:
    """Who is what, of a game that was called off."""
    thing = _thing(table)
    head = say("end.head.no_thing") if thing is None else say("end.head.thing", thing=_named(names, thing))
    lines = [head, *_roles(table, names)]
    grin = _wording_of(table, "end.grin.called_off")
    return _page([*lines, grin], lambda: [head, *_roles(table, names, brief=True)])


def _page(lines: Sequence[str], brief: Callable[[], Sequence[str]]) -> str:
    """The lines, or the *brief* ones where they are too many for a message."""
    page = "\n".join(lines)
    return page if len(page) <= LONGEST else "\n".join(brief())


def _headline(table: Table, why: str, names: Names) -> str:
    thing = _thing(table)
    if thing is None:
        return say("end.head.last_of_none", turn=table.turn)
    if why == "last_one":
        why = "last_thing" if thing in table.seats else "last_human"
    return say(f"end.head.{why}", thing=_named(names, thing), turn=table.turn)


def _thing(table: Table) -> Seat | None:
    return next((seat for seat, role in table.roles.items() if role == "thing"), None)


def _winners(table: Table, winners: Sequence[Seat], names: Names) -> str:
    if not winners:
        return say("end.won.nobody")
    roles = [table.roles[seat] for seat in winners]
    key = "humans" if "human" in roles else "infected" if "thing" not in roles else "thing_and_infected"
    if roles == ["thing"]:
        key = "thing"
    return say(f"end.won.{key}", n=len(winners), names=_all_named(names, winners))


def _roles(table: Table, names: Names, told: Sequence[Seat] = (), brief: bool = False) -> list[str]:
    """Who was infected by whom, who was burned by whom and was what, and which Humans are not among the *told*."""
    lines: list[str] = []
    burned = {dead.seat for dead in table.dead}
    humans = [s for s, role in table.roles.items() if role == "human" and s not in burned and s not in told]
    if humans:
        lines.append(say("end.told.humans", names=_all_named(names, humans)))
    source = {infection.seat: infection for infection in table.infections}
    infected: list[Markup] = []
    for seat in dict.fromkeys([*source, *(s for s, role in table.roles.items() if role == "infected")]):
        if seat in source and not brief:
            source_name = _named(names, source[seat].by)
            infected.append(say("end.infected.by", name=_named(names, seat), turn=source[seat].turn, by=source_name))
        else:
            infected.append(_named(names, seat))
    if infected:
        lines.append(say("end.told.infected", names=Markup(", ".join(infected))))
    dead: list[Markup] = []
    oh_dear = False
    for gone in table.dead:
        seat, by, turn, role = gone.seat, gone.by, gone.turn, table.roles[gone.seat]
        if by is None or turn is None or brief:
            dead.append(say(f"end.burned.{role}_before", name=_named(names, seat)))
        else:
            dead.append(say(f"end.burned.{role}", name=_named(names, seat), by=_named(names, by), turn=turn))
            oh_dear |= role == "human" == table.roles[by]
    if dead:
        line = say("end.told.burned", names=Markup(", ".join(dead)))
        lines.append(f"{line} {say('end.told.oh_dear')}" if oh_dear else line)
    return lines


def _grin(table: Table, winners: Sequence[Seat]) -> str:
    side = "nobody" if not winners else "humans" if table.roles[winners[0]] == "human" else "things"
    return _wording_of(table, f"end.grin.{side}")


def _wording_of(table: Table, key: str) -> str:
    sentences = wordings(key)
    return fill(sentences[(table.turn + len(table.infections) + len(table.dead)) % len(sentences)], {})


# --- names and cards inside sentences ---


def _named(names: Names, seat: Seat) -> Markup:
    return Markup(_names.html(names[seat]))


def _all_named(names: Names, seats: Iterable[Seat]) -> Markup:
    return Markup(", ".join(_named(names, seat) for seat in seats))


def _in_words(number: int) -> str:
    words = wordings("story.numbers")
    return str(words[number]) if number < len(words) else say("story.many", n=number)


def _card(card: Card) -> Markup:
    """The name of a card, in italics: it may be a whole sentence, and stand in the middle of one."""
    return say("story.card", card=card)


def _cards(cards: Sequence[Card]) -> Markup:
    """Several cards, those of one kind together: "two Infected!, Axe and Whisky"."""
    counted = [say("story.cards", n=n, card=card) for card, n in Counter(cards).items()]
    return say("story.card", card=counted)
