"""/doctor: what the bot may and may not do in a group at this moment, what follows, and how to mend it; and by which
road each player of the game hears of it. That is no secret: the group sees who has to be called there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from telegram import Bot, ChatMember
from telegram.constants import ChatMemberStatus
from telegram.error import TelegramError

from db.records import GameRow, Person, RoadHere
from telegram_bot import seats
from telegram_bot.screens import named
from telegram_bot.texts import Markup, say


class Rights(NamedTuple):
    """What the bot is and may in a group: asked of Telegram when it matters, for it changes without a word."""

    administrator: bool = False
    write: bool = True
    pin: bool | None = None  # None: as the group lets its members


async def rights_in(bot: Bot, chat_id: int) -> Rights | None:
    """The bot's own rights; None where Telegram does not say. A member may what the group lets all its members."""
    try:
        rights = _rights(await bot.get_chat_member(chat_id, bot.id))
        if rights is None or rights.administrator:
            return rights
        all_may = (await bot.get_chat(chat_id)).permissions
    except TelegramError:
        return None
    if all_may is None:
        return rights
    pin = bool(all_may.can_pin_messages) and rights.pin is not False
    return Rights(write=rights.write and bool(all_may.can_send_messages), pin=pin)


def _rights(member: ChatMember) -> Rights | None:
    pin = getattr(member, "can_pin_messages", None)
    match member.status:
        case ChatMemberStatus.ADMINISTRATOR | ChatMemberStatus.OWNER:
            return Rights(administrator=True, pin=bool(pin))
        case ChatMemberStatus.RESTRICTED:
            return Rights(write=bool(getattr(member, "can_send_messages", False)), pin=bool(pin))
        case ChatMemberStatus.MEMBER:
            return Rights()
    return None


def report(
    rights: Rights | None,
    *,
    reads_all: bool,
    has_topics: bool,
    wants_pin: bool,
    roads: Mapping[int, RoadHere],
    game: GameRow | None,
    people: Mapping[int, Person],
) -> str:
    """The whole of it, a line a thing: what is so and what follows, and behind an arrow how to mend it."""
    lines = [say("doctor.title"), *_here(rights, wants_pin), _aside(roads.values())]
    lines.append(say("doctor.reads_all" if reads_all or rights and rights.administrator else "doctor.privacy"))
    if has_topics:
        lines.append(say("doctor.topics"))
    return "\n".join([*lines, *_players(game, people)])


def _here(rights: Rights | None, wants_pin: bool) -> Iterator[Markup]:
    if rights is None:
        yield say("doctor.unknown")
        return
    yield say("doctor.administrator" if rights.administrator else "doctor.member")
    if not rights.write:
        yield say("doctor.mute")
    if not wants_pin:
        yield say("doctor.pin_unwanted")
    elif rights.pin is None:
        yield say("doctor.pin_perhaps")
    else:
        yield say("doctor.pin" if rights.pin else "doctor.no_pin")


def _aside(roads: Iterable[RoadHere]) -> Markup:
    """Whether My hand opens in the group, by what was met last."""
    met = {road.road for road in roads} - {None}
    if not met:
        return say("doctor.aside_untried")
    return say("doctor.aside" if "ephemeral" in met else "doctor.aside_refused")


def _players(game: GameRow | None, people: Mapping[int, Person]) -> Iterator[Markup]:
    """By which road each of them hears of the game, those of one road together."""
    rows = [row for row in game.roster if row.person is not None] if game is not None else []
    if not rows:
        return
    yield Markup("\n" + say("doctor.players"))
    by_road: dict[str, list[Markup]] = {"open": [], "not_yet": [], "blocked": [], "gone": []}
    for row in rows:
        known = people.get(seats.reader_of(row) or 0)
        road: str = known.private if known is not None else "unknown"
        by_road[road if road in by_road else "not_yet"].append(named(row.name))
    for road, names in by_road.items():
        if names:
            yield say(f"doctor.road.{road}", names=names)
