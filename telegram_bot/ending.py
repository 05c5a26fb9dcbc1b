"""Ending a game early: by who opened it or an administrator, asked once more; or by most of the living people."""

from __future__ import annotations

from db.records import GameRow, Person
from db.store import Unit
from telegram_bot import lobby, play, screens, show
from telegram_bot.memo import memo_of, remembering
from telegram_bot.texts import say_plain


def ask(unit: Unit, person: Person | None, decides: bool) -> bool:
    """/endgame: the question is put to the group, with the asker's vote in it; False for who has no say."""
    game = _game(unit)
    living = living_people(game)
    votes_now = person is not None and person.id in living
    if not (decides or votes_now):
        return False
    if votes_now and person is not None:
        unit.game = game = _with_vote(game, person.id)
    if not decides and _is_decided(game):
        play.call_off(unit)
        return True
    name = person.name if person is not None else lobby.opener_name(game)
    starter = screens.opener(game)
    unit.post_anew(show.ENDING, screens.ending_question(game, name, _needed(game), starter, decides))
    return True


def press(unit: Unit, person: Person, what: str, decides: bool) -> str:
    """A button under that question; returns a toast."""
    game = _game(unit)
    if game.status != "playing":
        return say_plain("lobby_toast.gone")
    living = living_people(game)
    if what == "play_on":
        if not decides and person.id not in memo_of(game).ending:
            return say_plain("ending.stays", name=lobby.opener_name(game))
        unit.game = remembering(game, ending=())
        unit.take_away(show.ENDING)
        return say_plain("ending.played_on")
    if what != "end":
        return ""
    if decides:
        play.call_off(unit)
        return say_plain("lobby_toast.cancelled")
    if person.id not in living:
        return say_plain("toast.elsewhere")
    if person.id in memo_of(game).ending:
        return say_plain("ending.already")
    unit.game = game = _with_vote(game, person.id)
    if _is_decided(game):
        play.call_off(unit)
        return say_plain("lobby_toast.cancelled")
    asker = next((row.name for row in game.roster if row.person == memo_of(game).ending[0]), person.name)
    unit.show(show.ENDING, screens.ending_question(game, asker, _needed(game), screens.opener(game), False))
    return say_plain("ending.counted", n=len(memo_of(game).ending), needed=_needed(game))


def living_people(game: GameRow) -> set[int]:
    """The people who still have a say: alive, and playing for themselves."""
    seats = play.standing(game).table.seats
    return {
        row.person for row in game.roster if row.person is not None and row.seat in seats and row.played_by == "person"
    }


def _needed(game: GameRow) -> int:
    """More than half of them."""
    return len(living_people(game)) // 2 + 1


def _is_decided(game: GameRow) -> bool:
    return len(set(memo_of(game).ending) & living_people(game)) >= _needed(game)


def _with_vote(game: GameRow, person: int) -> GameRow:
    ending = memo_of(game).ending
    return game if person in ending else remembering(game, ending=(*ending, person))


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game
