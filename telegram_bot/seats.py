"""Who answers for a seat, and who sees its hand: its owner, the person who sits in for the owner, or a bot player.

Whatever is private to a seat goes to one person at a time, and a press counts if it is that person's.
"""

from __future__ import annotations

from db.records import GameRow, SeatRow


def player_of(row: SeatRow) -> int | None:
    """Who answers for a seat: the sitter, the owner; None where a bot player does."""
    return None if row.played_by == "bot" else reader_of(row)


def reader_of(row: SeatRow) -> int | None:
    """Who sees the hand of a seat: the sitter, else the owner, who looks on while a bot player sits in."""
    return row.sitter if row.sitter is not None else row.person


def waited_for(row: SeatRow) -> int | None:
    """Whom the camp can wait for: as `player_of`, but for an owner who left the group the clock answers at once."""
    return None if row.gone and row.sitter is None else player_of(row)


def is_taken_over(row: SeatRow) -> bool:
    """Whether somebody else plays for the owner, be it a person or a bot player."""
    return row.person is not None and player_of(row) != row.person


def seat_of(game: GameRow, person: int) -> SeatRow | None:
    """Where somebody sits, as the owner or for one."""
    return game.seat_of(person) or next((row for row in game.roster if row.sitter == person), None)


def is_free(row: SeatRow) -> bool:
    """Whether others may claim a seat: a person is to answer for it, and has no excuse left, or has left the group."""
    return player_of(row) is not None and (row.excuses == 0 or waited_for(row) is None)
