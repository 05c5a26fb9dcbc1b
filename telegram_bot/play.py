"""A game in play: begin, load, apply, save, say. A press of a person, the clock and a bot player come this same way."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Literal

from msgspec.structs import replace

import core
from core import Ask, Choice, Seat, Step
from core.events import TurnBegan
from db.records import GameRow, SeatRow, Timer
from db.store import Unit
from telegram_bot import pace, show
from telegram_bot.happenings import SeatGivenBack, SeatTakenOver, TimeRanOut
from telegram_bot.memo import memo_of, remembering

GIVEN_UP = 10  # deadlines missed in a row for each person in the game: at the pace of a day, most of a day

By = Literal["player", "clock", "order", "bot player"]


def at_rest(game: GameRow) -> core.Game:
    """The game as the core knows it."""
    assert game.turn_start is not None
    return core.Game(game.turn_start, game.answers, game.digest or "")


def standing(game: GameRow) -> Step:
    """The game as it stands: whom it asks what. Raises core.Diverged, with the number of the game."""
    try:
        return core.resume(at_rest(game))
    except core.Diverged:
        raise core.Diverged(game.id) from None


def begin(unit: Unit, game: GameRow) -> None:
    """The lobby becomes a game: dealt, the first player asked, everything said. Raises core.Refused."""
    options = core.read_options(game.options, len(game.roster))
    step = core.new_game([seat.seat for seat in game.roster], options, secrets.token_hex(16))
    unit.game = replace(
        game,
        status="playing",
        started_at=unit.now,
        touched_at=unit.now,
        rules_v=core.RULES_VERSION,
        state_v=core.STATE_VERSION,
        memo={},
        timers=(),
    )
    _save(unit, step)
    show.game_began(unit, step)


def answer(unit: Unit, seat: Seat, choice: Choice, by: By) -> Step:
    """One answer. Raises core.NotLegal, and then nothing has changed; core.Diverged."""
    game = _the_game(unit)
    step = core.apply(at_rest(game), seat, choice)
    unit.answered(seat, choice, by)
    if by == "clock":
        tale = memo_of(game).tale
        late = (*tale.late, (len(step.earlier), seat))
        unit.game = remembering(_the_game(unit), tale=replace(tale, late=late))
        unit.happened(TimeRanOut(seat))
    _save(unit, step)
    if _is_given_up(unit, by):
        show.tale(unit, step)
        _over(unit, {"why": "given up", "winners": []})
        show.called_off(unit, step)
    else:
        show.went_on(unit, step, seat, by_hand=by == "player")
    return step


def _is_given_up(unit: Unit, by: By) -> bool:
    """Whether the clock alone has answered for so long that nobody can be there any more; it would for ever."""
    game = _the_game(unit)
    unanswered = {"clock": memo_of(game).unanswered + 1, "player": 0}.get(by, memo_of(game).unanswered)
    if unanswered != memo_of(game).unanswered:
        unit.game = remembering(game, unanswered=unanswered)
    people = sum(row.person is not None and row.played_by == "person" for row in game.roster)
    return by == "clock" and game.status == "playing" and unanswered >= GIVEN_UP * people


def begin_turn_again(unit: Unit) -> Step:
    """The rules changed under a turn in play: it begins again from its start, and everybody is told (DESIGN.md 3)."""
    game = _the_game(unit)
    assert game.turn_start is not None
    step = core.begin(core.thaw(game.turn_start))
    unit.game = remembering(replace(game, version=game.version + 1, timers=()), asked={}, tale=memo_of(game).tale)
    _save(unit, step)
    show.turn_began_again(unit, step)
    return step


def _the_game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game


def _save(unit: Unit, step: Step) -> None:
    """The game at rest, its log and its timers; who is still asked the same question keeps the deadline."""
    for event in step.events:
        if isinstance(event, TurnBegan):
            unit.game = replace(_the_game(unit), turn=event.turn)
        unit.happened(event)
    game = _the_game(unit)
    asked, timers = memo_of(game).asked, game.timers
    if step.anew:
        asked = dict.fromkeys(step.asks, game.version)
        timers = tuple(timer for seat in asked for timer in _timers(unit, game, step.asks[seat]))
    else:
        asked = {seat: asked[seat] for seat in step.asks}
        timers = tuple(timer for timer in timers if timer.seat is None or timer.seat in asked)
    unit.game = remembering(
        replace(
            game,
            turn_start=step.game.turn_start,
            answers=step.game.answers,
            digest=step.game.digest,
            # From now on older code leaves it alone: in a deploy both are there for a while.
            rules_v=core.RULES_VERSION,
            state_v=core.STATE_VERSION,
            timers=timers,
            touched_at=unit.now,
        ),
        asked=asked,
    )
    if step.outcome is not None:
        _over(unit, {"why": step.outcome.why, "winners": list(step.outcome.winners)})


def _timers(unit: Unit, game: GameRow, ask: Ask) -> tuple[Timer, ...]:
    """What makes sure that an asked seat is answered for: the pause of a bot player, or the deadline.

    Who can only take what comes is asked all the same (strict secrecy), and passes by itself after a while that
    does not depend on the hand: how long it takes tells nobody anything (RULES.md section 8).
    """
    row = game.seat(ask.seat)
    assert row is not None
    if row.played_by == "bot":
        return (pace.bot_pause(game, ask.seat, unit.now),)
    if row.gone:
        return (Timer(pace.DEADLINE, unit.now, ask.seat),)
    deadline = pace.deadline(game, ask.seat, unit.now)
    if ask.about == core.DEFEND and ask.choices == (core.PASS,):
        return deadline, pace.pass_by_itself(game, ask.seat, unit.now)
    return (deadline,)


def _over(unit: Unit, outcome: dict[str, object]) -> None:
    unit.game = replace(
        remembering(_the_game(unit), asked={}), status="over", timers=(), ended_at=unit.now, outcome=outcome
    )


def call_off(unit: Unit) -> None:
    """The group ends a game in play: nobody wins, and all roles are shown."""
    step = standing(_the_game(unit))
    _over(unit, {"why": "called off", "winners": []})
    show.called_off(unit, step)


# --- who plays a seat ---


def take_over(unit: Unit, row: SeatRow, by: Literal["person", "bot"]) -> None:
    """A bot player sits in for the owner of a seat, or the owner is back."""
    _change_seat(unit, replace(row, played_by=by, gone=False))
    unit.happened(SeatTakenOver(row.seat) if by == "bot" else SeatGivenBack(row.seat))


def owner_gone(unit: Unit, row: SeatRow, gone: bool) -> None:
    """The owner of a seat left the group: the clock answers at once, until the owner is in the group again."""
    _change_seat(unit, replace(row, gone=gone))
    show.owner_gone(unit, row, gone)


def _change_seat(unit: Unit, changed: SeatRow) -> None:
    game = _the_game(unit)
    step = standing(game)
    game = replace(
        game,
        roster=tuple(changed if row.seat == changed.seat else row for row in game.roster),
        touched_at=unit.now,
    )
    if changed.seat in step.asks:
        others = tuple(timer for timer in game.timers if timer.seat != changed.seat)
        timers = _timers(unit, game, step.asks[changed.seat])
        running = [t for t in game.timers if t.seat == changed.seat and t.kind == pace.DEADLINE and t.at > unit.now]
        if running and not changed.gone:  # who goes and comes back wins no time
            timers = (*(timer for timer in timers if timer.kind != pace.DEADLINE), *running)
        game = replace(game, timers=(*others, *timers))
    unit.game = game
    show.seat_changed(unit, step, changed)


# --- the game stands still ---


def pause(unit: Unit, why: str, since: datetime) -> None:
    """All timers stop: the bot is out of the group, or the group wants it so."""
    unit.game = replace(remembering(_the_game(unit), paused=since.timestamp(), why=why), status="paused")


def resume(unit: Unit) -> None:
    """The game goes on where it was: every timer moves by the time it stood still."""
    game = _the_game(unit)
    still = timedelta(seconds=max(0.0, unit.now.timestamp() - memo_of(game).paused))
    timers = tuple(replace(timer, at=timer.at + still) for timer in game.timers)
    unit.game = replace(remembering(game, paused=0.0, why=""), status="playing", timers=timers)
    show.again(unit, standing(_the_game(unit)))
