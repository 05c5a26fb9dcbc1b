"""A game in play: begin, load, apply, save, say. A press of a person, the clock and a bot player come this same way."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Literal

from msgspec.structs import replace

import core
from core import Choice, Seat, Step
from core.events import Eliminated, TurnBegan
from db.records import GameRow, SeatRow, Timer
from db.store import Unit
from telegram_bot import orders, pace, presence, seats, show
from telegram_bot.happenings import SeatGivenBack, SeatTakenOver, TimeRanOut
from telegram_bot.memo import Lent, memo_of, remembering

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
    opened = replace(
        game,
        status="playing",
        started_at=unit.now,
        touched_at=unit.now,
        rules_v=core.RULES_VERSION,
        state_v=core.STATE_VERSION,
        memo={},
        timers=(),
    )
    unit.game = remembering(opened, opener=memo_of(game).opener, was=memo_of(game).was)
    unit.forget_callers()
    _save(unit, step)
    show.game_began(unit, step)


def answer(unit: Unit, seat: Seat, choice: Choice, by: By) -> Step:
    """One answer. Raises core.NotLegal, and then nothing has changed; core.Diverged."""
    game = _the_game(unit)
    step = core.apply(at_rest(game), seat, choice)
    unit.answered(seat, choice, by)
    _pay(unit, seat)
    unit.game = orders.answered(_the_game(unit), step, game, memo_of(game).about.get(seat), seat, choice)
    unit.game = presence.noted(_the_game(unit), seat, by, step.table.turn, unit.now)
    if by == "clock":
        tale = memo_of(game).tale
        late = (*tale.late, (len(step.earlier), seat))
        unit.game = remembering(_the_game(unit), tale=replace(tale, late=late))
        unit.happened(TimeRanOut(seat))
    _save(unit, step)
    if by == "clock" and step.outcome is None and _is_deserted(unit, step):
        _over(unit, {"why": "deserted", "winners": []})
        show.tale(unit, step)
        show.called_off(unit, step)
    else:
        show.went_on(unit, step, seat, by_hand=by == "player")
    return step


def _is_deserted(unit: Unit, step: Step) -> bool:
    game = _the_game(unit)
    hours = pace.hours_of(game, show.settings(unit))
    return presence.is_deserted(game, len(step.table.seats), step.table.turn, hours, unit.now)


def begin_turn_again(unit: Unit) -> Step:
    """The rules changed under a turn in play: it begins again from its start, and everybody is told (DESIGN.md 3)."""
    game = _the_game(unit)
    assert game.turn_start is not None
    step = core.begin(core.thaw(game.turn_start))
    unit.game = remembering(replace(game, version=game.version + 1), asked={}, asked_at={}, about={})
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
    unit.game = game = replace(
        game,
        turn_start=step.game.turn_start,
        answers=step.game.answers,
        digest=step.game.digest,
        # From now on older code leaves it alone: in a deploy both are there for a while.
        rules_v=core.RULES_VERSION,
        state_v=core.STATE_VERSION,
        touched_at=unit.now,
    )
    unit.game = game = orders.turned(game, step)
    if any(isinstance(event, Eliminated) for event in step.events):
        unit.game = game = _counting_again(unit, game)
    if step.anew:
        _asked_anew(unit, step)
    else:
        memo = memo_of(game)
        asked = {seat: memo.asked[seat] for seat in step.asks}
        timers = tuple(timer for timer in game.timers if timer.kind not in pace.OF_A_QUESTION or timer.seat in asked)
        unit.game = remembering(
            replace(game, timers=timers),
            asked=asked,
            asked_at={seat: memo.asked_at[seat] for seat in asked},
            about={seat: memo.about[seat] for seat in asked},
        )
    if step.outcome is not None:
        _over(unit, {"why": step.outcome.why, "winners": list(step.outcome.winners)})


def _asked_anew(unit: Unit, step: Step) -> None:
    """New questions, from now on."""
    game, now = orders.asked(_the_game(unit), step), unit.now.timestamp()
    unit.game = remembering(
        game,
        asked=dict.fromkeys(step.asks, game.version),
        asked_at=dict.fromkeys(step.asks, now),
        about={seat: ask.about for seat, ask in step.asks.items()},
        several=len(step.asks),
        reminded=(),
        extended=(),
        stopped=(),  # what was before now moves no deadline any more
    )
    reckon(unit, step)


def reckon(unit: Unit, step: Step) -> None:
    """The timers of all open questions, computed anew: they were put just now, or the hours or the pace changed."""
    game = _the_game(unit)
    others = [timer for timer in game.timers if timer.kind not in pace.OF_A_QUESTION]
    wakes = show.wakes(unit)
    others = [replace(timer, at=wakes) if timer.kind == pace.WAKE else timer for timer in others]
    others = _with_morning(unit, others)
    theirs = (timer for seat in step.asks for timer in timers_for(unit, game, step, seat))
    unit.game = replace(game, timers=(*others, *theirs))


def _with_morning(unit: Unit, timers: list[Timer]) -> list[Timer]:
    """The timers with the one for the end of the quiet hours, where the group has any; one that is due stays."""
    kept = [timer for timer in timers if timer.kind != pace.MORNING or timer.at <= unit.now]
    at = pace.hours_of(_the_game(unit), show.settings(unit)).morning(unit.now)
    if at is None or any(timer.kind == pace.MORNING for timer in kept):
        return kept
    return [*kept, Timer(pace.MORNING, at)]


def timers_for(unit: Unit, game: GameRow, step: Step, seat: Seat) -> tuple[Timer, ...]:
    """What makes sure that an asked seat is answered for: the pause of a bot player, or reminders and the deadline.

    Who can only take what comes is asked all the same (strict secrecy), and passes by itself after a while that
    does not depend on the hand: how long it takes tells nobody anything (RULES.md section 8). An order ahead answers
    after the same while.
    """
    row, ask = game.seat(seat), step.asks[seat]
    assert row is not None
    if row.played_by == "bot":
        return (pace.bot_pause(game, seat, unit.now),)
    if seats.waited_for(row) is None:
        return (Timer(pace.DEADLINE, unit.now, seat),)
    question = question_of(unit, game, seat)
    reminders = (Timer(pace.REMIND, at, seat) for at in question.reminders if at > unit.now)
    deadline = Timer(pace.DEADLINE, question.deadline, seat)
    # Who is known to be away passes when the time is up: else a time-out would tell that a defence was held (R66).
    if ask.about == core.DEFEND and ask.choices == (core.PASS,) and seat not in memo_of(game).away:
        return *reminders, deadline, pace.pass_by_itself(game, seat, unit.now)
    if orders.fitting(game, step, seat) is not None:
        return *reminders, deadline, pace.by_order(game, seat, unit.now)
    return *reminders, deadline


def extend(unit: Unit, seat: Seat) -> None:
    """Who is awaited has taken more time: the deadline and the reminders of that question come later."""
    game = _the_game(unit)
    question, moved = question_of(unit, game, seat), (pace.DEADLINE, pace.REMIND)
    others = (timer for timer in game.timers if timer.kind not in moved or timer.seat != seat)
    reminders = (Timer(pace.REMIND, at, seat) for at in question.reminders if at > unit.now)
    unit.game = replace(game, timers=(*others, *reminders, Timer(pace.DEADLINE, question.deadline, seat)))
    show.again(unit, standing(_the_game(unit)))


def question_of(unit: Unit, game: GameRow, seat: Seat) -> pace.Question:
    """The question that is open for a seat, as the clock sees it."""
    return pace.question(game, seat, show.settings(unit))


def _pay(unit: Unit, seat: Seat) -> None:
    """Who took longer than the share of the question has used the bank by as much."""
    game = _the_game(unit)
    memo, row = memo_of(game), game.seat(seat)
    if seat in memo.asked_at and row is not None and row.played_by == "person":
        used = question_of(unit, game, seat).used_at(unit.now).total_seconds()
        if used != memo.used.get(seat, 0.0):
            unit.game = remembering(game, used={**memo.used, seat: used})


def _over(unit: Unit, outcome: dict[str, object]) -> None:
    game = remembering(_the_game(unit), asked={}, asked_at={}, about={})
    unit.game = replace(game, status="over", orders={}, timers=(), ended_at=unit.now, outcome=outcome)


def call_off(unit: Unit) -> None:
    """The group ends a game in play: nobody wins, and all roles are shown."""
    step = standing(_the_game(unit))
    _over(unit, {"why": "called off", "winners": []})
    show.called_off(unit, step)


def order_changed(unit: Unit, game: GameRow, step: Step, seat: Seat) -> None:
    """The owner of a seat has changed an order: what was about to answer by one does not, or something does now."""
    if seat in step.asks:
        timers = tuple(timer for timer in game.timers if timer.kind != pace.ORDER or timer.seat != seat)
        if orders.fitting(game, step, seat) is not None:
            timers = (*timers, pace.by_order(game, seat, unit.now))
        game = replace(game, timers=timers)
    unit.game = game


# --- who plays a seat ---


def take_over(unit: Unit, row: SeatRow, by: Literal["person", "bot"]) -> None:
    """A bot player sits in for the owner of a seat; or the owner is back, with the own bank and an excuse at least."""
    if by == "bot":
        _change_seat(unit, replace(row, played_by="bot", sitter=None))
        unit.happened(SeatTakenOver(row.seat))
        return
    memo = memo_of(_the_game(unit))
    lent = dict(memo.lent)
    own = lent.pop(row.seat, None) or Lent(row.excuses, row.missed_at, memo.used.get(row.seat, 0.0))
    game = remembering(_the_game(unit), lent=lent, used={**memo.used, row.seat: own.used})
    unit.game = replace(game, timers=without_back(game, row.seat))
    row = replace(row, excuses=max(own.excuses, 1), missed_at=own.missed_at)
    _change_seat(unit, replace(row, played_by="person", sitter=None, gone=False))
    unit.happened(SeatGivenBack(row.seat))


def sit_in(unit: Unit, row: SeatRow, person: int) -> None:
    """Somebody takes over a seat, with a bank and an excuse of their own."""
    if row.sitter != person:
        memo = memo_of(_the_game(unit))
        used = {seat: seconds for seat, seconds in memo.used.items() if seat != row.seat}
        away = tuple(seat for seat in memo.away if seat != row.seat)
        own = Lent(row.excuses, row.missed_at, memo.used.get(row.seat, 0.0))
        lent = {row.seat: own, **memo.lent}  # the owner's, whoever sat here before
        unit.game = remembering(_the_game(unit), used=used, away=away, lent=lent)
        unit.happened(SeatTakenOver(row.seat))
    _change_seat(unit, replace(row, played_by="person", sitter=person, excuses=1, missed_at=0.0))


def without_back(game: GameRow, seat: Seat) -> tuple[Timer, ...]:
    """The timers of a game but the one that ends the holiday of a seat."""
    return tuple(timer for timer in game.timers if timer.kind != pace.BACK or timer.seat != seat)


def owner_gone(unit: Unit, row: SeatRow, gone: bool) -> None:
    """The owner of a seat left the group: the clock answers at once, until the owner is in the group again."""
    row = replace(row, gone=gone)
    _change_seat(unit, row)
    show.owner_gone(unit, row, gone)


def _change_seat(unit: Unit, changed: SeatRow) -> None:
    game = _the_game(unit)
    step = standing(game)
    before = game.seat(changed.seat)
    assert before is not None
    game = replace(
        game,
        roster=tuple(changed if row.seat == changed.seat else row for row in game.roster),
        touched_at=unit.now,
    )
    if changed.seat in step.asks:
        game = _asked_of_another(unit, game, step, changed.seat)
    unit.game = _counting_again(unit, game)
    show.seat_changed(unit, step, changed, before)


def _counting_again(unit: Unit, game: GameRow) -> GameRow:
    """Others have a say now: what is put to the vote is counted again by the clock, at once."""
    if not memo_of(game).votes:
        return game
    return replace(game, timers=(*game.timers, Timer(pace.COUNT, unit.now)))


def _asked_of_another(unit: Unit, game: GameRow, step: Step, seat: Seat) -> GameRow:
    """An open question is another player's now. Who goes and comes back wins no time; who comes too late for what was
    left has the whole time again.
    """
    others = tuple(t for t in game.timers if t.kind not in pace.OF_A_QUESTION or t.seat != seat)
    timers, memo = timers_for(unit, game, step, seat), memo_of(game)
    stands = pace.moment(memo.paused) if memo.paused else unit.now
    if any(timer.kind == pace.DEADLINE and timer.at <= stands for timer in timers):
        game = remembering(game, asked_at={**memo.asked_at, seat: unit.now.timestamp()})
        timers = timers_for(unit, game, step, seat)
    return replace(game, timers=(*others, *timers))


# --- the game stands still ---


def pause(unit: Unit, why: str, since: datetime) -> None:
    """All timers stop: the bot is out of the group, or the group wants it so."""
    unit.game = replace(remembering(_the_game(unit), paused=since.timestamp(), why=why), status="paused")


def resume(unit: Unit) -> None:
    """The game goes on where it was: what was open when it stopped has as much time left as then."""
    game = _the_game(unit)
    memo = memo_of(game)
    stopped, was = (*memo.stopped, (memo.paused, unit.now.timestamp())), memo.why
    game = replace(remembering(game, paused=0.0, why="", stopped=stopped), status="playing")
    unit.game = presence.forgiven(game, unit.now)
    step = standing(_the_game(unit))
    reckon(unit, step)
    show.again(unit, step)
    if was == "group":
        show.goes_on(unit, step)


def change_pace(unit: Unit, word: str) -> None:
    """The group plays at another pace, open questions too; who used half of the bank has half of it left."""
    game = _the_game(unit)
    before, pace_now = pace.pace_of(game), pace.read(word)
    share = pace_now.bank / before.bank if before.bank else 0.0
    used = {seat: seconds * share for seat, seconds in memo_of(game).used.items()}
    unit.game = remembering(replace(game, pace=str(pace_now)), used=used, quickened=unit.now.timestamp())
    new_hours(unit)


def new_hours(unit: Unit) -> None:
    """The pace or the quiet hours have changed: every open question has another deadline."""
    step = standing(_the_game(unit))
    reckon(unit, step)
    show.again(unit, step)


def after_outage(unit: Unit) -> None:
    """The bot was down for a while: the store has noted when (`forgive_outage`), and no deadline counts it."""
    unit.game = presence.forgiven(_the_game(unit), unit.now)
    step = standing(_the_game(unit))
    reckon(unit, step)
    show.after_outage(unit, step)
