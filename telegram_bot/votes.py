"""What a group decides in mid-game: to end it, to pause, to go on, to play at another pace.

One way for all: a message with two buttons that counts; more than half of the living people carry it. An administrator
decides alone: to end it (asked once more; who opened the game may that, too), to pause it, to go on. Nobody does at
which pace the others have to answer.
"""

from __future__ import annotations

from typing import Literal, get_args

from msgspec.structs import replace

from db.records import GameRow, Person, Wanted
from db.store import Unit
from telegram_bot import lobby, pace, play, screens, seats, show
from telegram_bot.memo import Vote, memo_of, remembering
from telegram_bot.names import plain
from telegram_bot.texts import Markup, say, say_plain

What = Literal["end", "pause", "resume", "pace"]
WHATS: tuple[What, ...] = get_args(What)
FOR, AGAINST = 1, 0  # what the two buttons say


def ask(unit: Unit, what: What, person: Person | None, decides: bool, value: str = "") -> Markup | None:
    """A command asks for it: done at once, or put to the group with the asker's vote in it; else says why not."""
    game = _game(unit)
    if (why := _why_not(game, what, value)) is not None:
        return why
    votes_now = person is not None and person.id in living_people(game)
    if not (decides or votes_now):
        plays = person is not None and seats.seat_of(game, person.id) is not None
        return say("say.no_vote" if plays else "say.not_in_game")
    if decides and what != "end":
        _carry(unit, what, value, anew=True)
        return None
    memo = memo_of(game)
    vote = memo.votes.get(what)
    if vote is None or vote.value != value:
        name = person.name if person is not None else lobby.opener_name(game)
        row = seats.seat_of(game, person.id) if person is not None else None
        vote = Vote(memo.ballots + 1, row.name if row is not None else name, value)
    if votes_now and person is not None and person.id not in vote.people:
        vote = replace(vote, people=(*vote.people, person.id))
    _keep(unit, what, vote)
    if not decides and _is_carried(unit, vote):
        _carry(unit, what, value, anew=True)
    else:
        unit.post_anew(show.vote_screen(what), _question(unit, what, vote, decides))
    return None


def press(unit: Unit, person: Person, what: str, number: int, ballot: int, decides: bool) -> str:
    """A button under such a question; returns a toast."""
    game = _game(unit)
    vote = memo_of(game).votes.get(what)
    if what not in WHATS or vote is None or vote.number != ballot or game.status not in ("playing", "paused"):
        return say_plain("votes.gone")
    if number == AGAINST:
        return _against(unit, what, vote, person, decides)
    if decides:
        _carry(unit, what, vote.value)
        return say_plain("votes.carried")
    if person.id not in living_people(game):
        return say_plain("toast.elsewhere")
    if person.id in vote.people and not _is_carried(unit, vote):
        return say_plain("votes.already")
    vote = replace(vote, people=tuple(dict.fromkeys((*vote.people, person.id))))
    _keep(unit, what, vote)
    if _is_carried(unit, vote):
        _carry(unit, what, vote.value)
        return say_plain("votes.carried")
    unit.show(show.vote_screen(what), _question(unit, what, vote, False))
    return say_plain("votes.counted", n=_count(unit, vote), needed=_needed(game))


def _against(unit: Unit, what: What, vote: Vote, person: Person, decides: bool) -> str:
    """Who decides closes the question; who was for it takes that back, and the last one closes it too."""
    game = _game(unit)
    if not decides and person.id not in vote.people:
        return say_plain("votes.stands") if what == "pace" else say_plain("votes.stays", who=_who_decides(unit, what))
    vote = replace(vote, people=tuple(one for one in vote.people if one != person.id))
    if decides or not vote.people:
        _close(unit, what)
        unit.take_away(show.vote_screen(what))
        return say_plain("votes.closed")
    _keep(unit, what, vote)
    unit.show(show.vote_screen(what), _question(unit, what, vote, False))
    return say_plain("votes.counted", n=_count(unit, vote), needed=_needed(game))


def decides_alone(unit: Unit, what: str, person: int, is_administrator: bool) -> bool:
    """Whether somebody needs no majority."""
    return what != "pace" and is_administrator or what == "end" and lobby.may_end(unit, person)


def _who_decides(unit: Unit, what: What) -> str:
    """Who may decide alone what else takes a vote; plain text."""
    if what == "end" and not show.administrators_end(unit) and _game(unit).opened_by:
        return say_plain("votes.opener", name=plain(screens.opener(_game(unit))))
    return say_plain("votes.administrators")


def recount(unit: Unit) -> None:
    """Others have a say than before: somebody burned, or left, or is back. What has most of them now is carried."""
    for what in WHATS:
        vote = memo_of(_game(unit)).votes.get(what)
        asks_once_more = what == "end" and vote is not None and len(vote.people) < 2  # who could decide alone
        if vote is None or asks_once_more or not _game(unit).open:
            continue
        if _is_carried(unit, vote):
            _carry(unit, what, vote.value)
        else:
            unit.show(show.vote_screen(what), _question(unit, what, vote, False))


def living_people(game: GameRow) -> set[int]:
    """The people who still have a say: alive, in the group, and playing for themselves."""
    living = play.standing(game).table.seats
    return {
        player for row in game.roster if row.seat in living and (player := seats.waited_for(row)) is not None
    }


def _why_not(game: GameRow, what: What, value: str) -> Markup | None:
    if game.status == "lobby":
        return say("say.not_yet")
    match what:
        case "pause" if game.status == "paused":
            return say("votes.is_paused")
        case "resume" if game.status == "playing":
            return say("votes.is_on")
        case "pace" if pace.read(value) == pace.pace_of(game):
            return say("votes.is_pace")
    return None


def _carry(unit: Unit, what: What, value: str, anew: bool = False) -> None:
    """It is done, and the question becomes the line that says so."""
    _close(unit, what)
    match what:
        case "end":
            play.call_off(unit)
            return
        case "pause":
            play.pause(unit, "group", unit.now)
            show.stands_still(unit, play.standing(_game(unit)))
        case "resume":
            play.resume(unit)
        case "pace":
            play.change_pace(unit, value)
    (unit.post_anew if anew else unit.show)(show.vote_screen(what), screens.carried(_game(unit), what))


def _question(unit: Unit, what: What, vote: Vote, decides: bool) -> Wanted:
    game = _game(unit)
    return screens.vote(game, what, vote, _count(unit, vote), _needed(game), decides, _who_decides(unit, what))


def _needed(game: GameRow) -> int:
    """More than half of them."""
    return len(living_people(game)) // 2 + 1


def _count(unit: Unit, vote: Vote) -> int:
    return len(set(vote.people) & living_people(_game(unit)))


def _is_carried(unit: Unit, vote: Vote) -> bool:
    return _count(unit, vote) >= _needed(_game(unit))


def _keep(unit: Unit, what: What, vote: Vote) -> None:
    game = _game(unit)
    memo = memo_of(game)
    unit.game = remembering(game, votes={**memo.votes, what: vote}, ballots=max(memo.ballots, vote.number))


def _close(unit: Unit, what: What) -> None:
    game = _game(unit)
    votes = {name: vote for name, vote in memo_of(game).votes.items() if name != what}
    unit.game = remembering(game, votes=votes)


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game
