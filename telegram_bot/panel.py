"""The hand: a panel of one seat, page by page, made from what that seat may know and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import core
from core import Ask, Card, Choice, Event, Seat, Step, View
from core.events import CardDrawn
from db.records import Button, GameRow, Wanted
from telegram_bot import narrator
from telegram_bot.memo import memo_of
from telegram_bot.names import plain
from telegram_bot.screens import Rows, awaited, button, camp, in_rows, named, names_of, role_words, until
from telegram_bot.texts import Markup, say, say_plain

FIRE = "Flamethrower"


class Desk(NamedTuple):
    """What a panel is made from: the game's row and its group, the view of its seat, when it is, and what happened in
    the turn."""

    game: GameRow
    group: str
    view: View
    now: datetime
    happened: Sequence[Event]

    @property
    def seat(self) -> Seat:
        assert self.view.seat is not None
        return self.view.seat

    @property
    def names(self) -> dict[Seat, str]:
        return names_of(self.game)

    def button(self, key: str, what: str, number: int = 0, **values: object) -> Button:
        """A button that is good for the question that is put to this seat now."""
        version = memo_of(self.game).asked.get(self.seat, self.game.version)
        return button(say_plain(key, **values), self.game, "panel", what, number, version=version)

    def of(self, seat: Seat) -> Markup:
        return named(self.names[seat])

    @property
    def until(self) -> Markup:
        return until(self.game, [self.seat], self.now)


def desk(game: GameRow, group: str, step: Step, seat: Seat, now: datetime) -> Desk:
    happened = [seen for event in (*step.earlier, *step.events) if (seen := core.seen_by(event, seat)) is not None]
    return Desk(game, group, core.view(step, seat), now, happened)


# --- the first page ---


def front(at: Desk) -> Wanted:
    """What is asked of this seat, with a button for every answer; or the hand, and whose turn it is."""
    view = at.view
    if view.outcome is not None or not at.game.open:
        return _page(at, _how_it_ended(at), ())
    if dead := next((dead for dead in view.dead if dead.seat == at.seat), None):
        return _page(at, [say("panel.dead", turn=dead.turn), *_known_roles(at)], (_knowledge(at),))
    row = at.game.seat(at.seat)
    if row is not None and row.person is not None and row.played_by == "bot":
        return _page(
            at,
            [say("panel.taken_over"), *_hand_lines(at)],
            ((at.button("panel.button_return", "back_in"),), _knowledge(at)),
        )
    if view.ask is None:
        if view.turn_of == at.seat:
            waiting = say("panel.waiting_own")
        else:
            waiting = say("panel.waiting", name=at.of(view.turn_of))
        return _page(at, [waiting, *_hand_lines(at)], (*_declaration(at), _knowledge(at)))
    lines, rows = _QUESTIONS[view.ask.about](at, view.ask)
    return _page(at, lines, (*rows, *_declaration(at), _knowledge(at)))


def _page(at: Desk, lines: Iterable[str], rows: Rows) -> Wanted:
    """A page of the hand; its first line says of which game, for a person may sit in several."""
    header = say("panel.header", group=named(at.group), turn=at.view.turn)
    return Wanted(text="\n".join([header, *lines]), rows=rows, protect=True, old="delete")


ROLES = {"human": "panel.a_human", "infected": "panel.an_infected", "thing": "panel.the_thing"}


def _how_it_ended(at: Desk) -> list[str]:
    """What this player was, and whether it was enough."""
    outcome = at.view.outcome
    lines: list[str] = [say("panel.over"), say("panel.were", role=say(ROLES[at.view.role or "human"]))]
    if outcome is not None:
        lines.append(say("panel.won" if at.seat in outcome.winners else "panel.lost"))
    return lines


def _hand_lines(at: Desk) -> list[str]:
    return [role_words(at.view, at.names), say("panel.hand", cards=" · ".join(at.view.hand))]


def _known_roles(at: Desk) -> list[str]:
    """With vengeance the dead Thing sees every role (R64)."""
    if at.view.role != "thing":
        return []
    roles = [(seat, role) for seat, role in at.view.roles.items() if seat in at.view.seats]
    return [say("panel.role_of", name=at.of(seat), role=say(ROLES[role])) for seat, role in roles]


def _knowledge(at: Desk) -> tuple[Button, ...]:
    return at.button("panel.button_table", "table"), at.button("panel.button_know", "know")


def _declaration(at: Desk) -> Rows:
    """The Thing always has this button; whether it may be pressed now is said at the press."""
    alive = at.view.role == "thing" and at.seat in at.view.seats
    return ((at.button("panel.button_declare", "declaration"),),) if alive else ()


# --- the questions, one by one ---


def _choices(at: Desk, ask: Ask, key: str = "", width: int = 2) -> Rows:
    """A button for every card that may be answered."""
    return in_rows(
        (
            at.button("panel.button_card", "choose", number, card=choice[1])
            for number, choice in enumerate(ask.choices)
            if choice[0] != "defend"
        ),
        width,
    )


def _step_two(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    drew = [
        event.card
        for event in at.happened
        if isinstance(event, CardDrawn) and event.seat == at.seat and not event.replacement
    ]
    lines = [say("panel.your_turn", until=at.until, role=role_words(at.view, at.names))]
    if drew and drew[0] is not None:
        lines.append(say("panel.drew", card=drew[0]))
    if ask.choices == (("discard", "Infected!"),):
        lines.append(say("panel.must_discard_infected"))
    elif at.view.seat in at.view.quarantines and all(c[0] == "discard" for c in ask.choices):
        lines.append(say("panel.confined"))
    else:
        lines.append(say("panel.play_or_discard"))
    cards = hand_cards(at.view)
    return lines, in_rows(
        at.button("panel.button_card", "card", number, card=card) for number, card in enumerate(cards)
    )


def hand_cards(view: View) -> list[Card]:
    """The cards of a hand, each name once, in the order of the buttons."""
    return list(dict.fromkeys(view.hand))


def _cannot_give(at: Desk) -> list[str]:
    """Why a card of the hand has no button in an exchange (R10)."""
    choices = at.view.ask.choices if at.view.ask is not None else ()
    if "Infected!" not in at.view.hand or ("give", "Infected!") in choices:
        return []
    return [say("panel.cannot_give_human" if at.view.role == "human" else "panel.cannot_give_infected")]


def _offer(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    return [say("panel.offer", name=at.of(ask.of), until=at.until), *_cannot_give(at)], _choices(at, ask)


def _answer(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    refusals = tuple(
        at.button("panel.button_refuse", "choose", number, card=choice[1])
        for number, choice in enumerate(ask.choices)
        if choice[0] == "defend"
    )
    key = "panel.answer_or_refuse" if refusals else "panel.answer"
    lines = [say(key, name=at.of(ask.of), until=at.until), *_cannot_give(at)]
    return lines, (*_choices(at, ask), *in_rows(refusals))


def _defend(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None and ask.card is not None
    key = "panel.attacked_fire" if ask.card == FIRE else "panel.attacked"
    lines = [
        say(key, name=at.of(ask.of), until=at.until)
        if ask.card == FIRE
        else say(key, name=at.of(ask.of), card=ask.card, until=at.until)
    ]
    if len(ask.choices) == 1:
        lines.append(say("panel.no_defence"))
    rows = []
    for number, choice in enumerate(ask.choices):
        if choice == core.PASS:
            rows.append(
                at.button("panel.button_pass_fire" if ask.card == FIRE else "panel.button_pass_seat", "choose", number)
            )
        else:
            rows.append(at.button("panel.button_refuse", "choose", number, card=choice[1]))
    return lines, (tuple(rows),)


def _keep(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    return [say("panel.keep", until=at.until)], _choices(at, ask)


def _target(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.card is not None
    lines = [say("panel.target", card=ask.card, until=at.until, text=core.CARDS[ask.card].text)]
    buttons = []
    for number, (_, target) in enumerate(ask.choices):
        if target in ("left", "right"):
            i, seats = at.view.seats.index(at.seat), at.view.seats
            third = seats[(i + (3 if target == "left" else -3)) % len(seats)]
            buttons.append(at.button(f"panel.button_{target}", "choose", number, name=plain(at.names[third])))
        else:
            buttons.append(at.button("panel.button_name", "choose", number, name=plain(at.names[target])))
    return lines, in_rows(buttons)


def _forget(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    buttons = []
    for number, (_, *gone) in enumerate(ask.choices):
        left = list(at.view.hand)
        for card in gone:
            left.remove(card)
        buttons.append(at.button("panel.button_keep", "choose", number, card=", ".join(left)))
    return [say("panel.forget", until=at.until)], in_rows(buttons)


def _swap(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    return [say("panel.swap", until=at.until)], _choices(at, ask)


def _show(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    keys = {
        "all": "panel.button_show_all",
        "Infected!": "panel.button_show_infected",
        "nothing": "panel.button_show_nothing",
    }
    buttons = (at.button(keys[way], "choose", number) for number, (_, way) in enumerate(ask.choices))
    return [say("panel.show", until=at.until), *_hand_lines(at)], in_rows(buttons, 1)


def _pass_on(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    return [say("panel.pass_on", name=at.of(ask.of), until=at.until), *_cannot_give(at)], _choices(at, ask)


_QUESTIONS = {
    core.STEP_TWO: _step_two,
    core.OFFER: _offer,
    core.ANSWER: _answer,
    core.DEFEND: _defend,
    core.KEEP: _keep,
    core.TARGET: _target,
    core.FORGET: _forget,
    core.SWAP: _swap,
    core.SHOW: _show,
    core.PASS_ON: _pass_on,
}


# --- the other pages ---


def card_page(at: Desk, card: Card) -> Wanted:
    """What can be done with a card in step 2, and what it does in one sentence."""
    assert at.view.ask is not None
    buttons = []
    discard = None
    for number, choice in enumerate(at.view.ask.choices):
        if choice == ("discard", card):
            discard = at.button("panel.button_discard", "choose", number)
        elif choice[:2] == ("play", card):
            # Fire and its like are asked once more (issue 2: playing Flamethrower and declaring ask once more).
            what = "confirm" if card == FIRE else "choose"
            buttons.append(_aim_button(at, choice, what, number))
    lines = [say("panel.card_page", card=card, text=core.CARDS[card].text)]
    if not buttons:
        lines.append(say("panel.cannot_play" if discard else "panel.cannot_part"))
    last = (*((discard,) if discard else ()), at.button("panel.button_back", "front"))
    return _page(at, lines, (*in_rows(buttons), last))


def _aim_button(at: Desk, choice: Choice, what: str, number: int) -> Button:
    match choice[2:]:
        case ():
            return at.button("panel.button_play", what, number)
        case (target,) if target == at.seat:
            return at.button("panel.button_on_self", what, number)
        case (_, side):
            return at.button(f"panel.button_{side}_gap", what, number)
        case (target, *_):
            left, right = at.view.neighbours()
            key = "panel.button_on"
            if left != right and target in (left, right):
                key = "panel.button_on_left" if target == left else "panel.button_on_right"
            return at.button(key, what, number, name=plain(at.names[target]))
    raise AssertionError(choice)


def confirm_page(at: Desk, number: int) -> Wanted:
    """Fire is asked once more."""
    assert at.view.ask is not None
    target = at.view.ask.choices[number][2]
    rows = (
        (at.button("panel.button_confirm_play", "choose", number, name=plain(at.names[target])),),
        (at.button("panel.button_back", "front"),),
    )
    return _page(at, [say("panel.confirm_play", name=at.of(target))], rows)


def declaration_page(at: Desk) -> Wanted:
    """So is the declaration; The Thing is shown what it knows."""
    humans = [at.of(seat) for seat in at.view.seats if at.view.roles.get(seat) == "human"]
    line = say("panel.confirm_declare_human", names=humans) if humans else say("panel.confirm_declare")
    rows = ((at.button("panel.button_confirm_declare", "declare"),), (at.button("panel.button_back", "front"),))
    return _page(at, [line], rows)


def table_page(at: Desk, public: View) -> Wanted:
    """The camp, as on the board, without leaving the hand."""
    lines = [*camp(at.game, public), "", awaited(at.game, public, at.now)]
    return _page(at, lines, ((at.button("panel.button_back", "front"),),))


def know_page(at: Desk, log: Iterable[tuple[int, Event]]) -> Wanted:
    """A short private log: what the rules showed to this seat, the latest last."""
    told = []
    for turn, event in log:
        seen = core.seen_by(event, at.seat)
        if seen is not None and (line := narrator.tell_private(seen, at.seat, at.names)):
            told.append(f"{turn} · {line}")
    lines = [say("panel.know_title"), role_words(at.view, at.names), *(told[-KNOWN:] or [say("panel.know_nothing")])]
    return _page(at, lines, ((at.button("panel.button_back", "front"),),))


KNOWN = 12  # lines of the private log on a phone
