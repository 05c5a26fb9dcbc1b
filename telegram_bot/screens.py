"""What is shown: every screen as a function of the game and of what its reader may know. Sends and stores nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import core
from core import Seat, Step, View
from db.records import Button, GameRow, SeatRow, Wanted
from telegram_bot import narrator, rulebook
from telegram_bot.callback import Pressed, Room
from telegram_bot.memo import memo_of
from telegram_bot.names import html, plain
from telegram_bot.pace import DEADLINE, PACES
from telegram_bot.texts import Markup, say, say_plain

Rows = tuple[tuple[Button, ...], ...]

BOT_MARK = "🤖"  # before the name of a bot player, behind that of whom one sits in for; no person may wear it
INFECTED_MOST = 20  # the deck refuses more or fewer Infected! cards than this anyway


def button(text: str, game: GameRow, room: Room, what: str, number: int = 0, *, version: int | None = None) -> Button:
    return Button(text, data=str(Pressed(room, game.id, what, game.version if version is None else version, number)))


def private_link(game: GameRow, bot_name: str) -> str:
    """The deep link that opens the private chat at the hand of this game (field/telegram.md 1.1)."""
    return f"https://t.me/{bot_name}?start=g{game.id}"


def names_of(game: GameRow) -> dict[Seat, str]:
    """What the seats are called, for the narrator: bot players are told apart by a mark."""
    return {row.seat: called(row) for row in game.roster}


def called(row: SeatRow) -> str:
    return f"{BOT_MARK} {row.name}" if row.person is None else row.name


def named(name: str) -> Markup:
    """A name inside a sentence of HTML."""
    return Markup(html(name))


def shown(row: SeatRow) -> Markup:
    """A player on the board: somebody for whom a bot player sits in has the mark behind the name."""
    away = row.person is not None and row.played_by == "bot"
    return Markup(html(called(row)) + (f" {BOT_MARK}" if away else ""))


def screen(
    text: str, rows: Rows = (), *, pin: bool = False, ring: bool = False, once: bool = False, delete: bool = False
) -> Wanted:
    """A screen, its text as the store takes it; *delete*: the copy before goes when it is posted anew."""
    return Wanted(text=str(text), rows=rows, pin=pin, ring=ring, once=once, old="delete" if delete else "strip")


def in_rows(buttons: Iterable[Button], width: int = 2) -> Rows:
    """Buttons side by side, as many as fit a phone; a long one stands alone."""
    rows: list[tuple[Button, ...]] = []
    row: list[Button] = []
    for one in buttons:
        if row and (len(row) == width or len(one.text) > 18 or len(row[-1].text) > 18):
            rows.append(tuple(row))
            row = []
        row.append(one)
    return (*rows, tuple(row)) if row else tuple(rows)


def clock_time(at: datetime, now: datetime) -> Markup:
    """A moment, shown to each reader in the own zone (field/telegram.md 1.4); beyond today with its day."""
    form, words = ("t", "%H:%M UTC") if at - now < timedelta(hours=18) else ("wDt", "%a %d %b %H:%M UTC")
    return Markup(f'<tg-time unix="{int(at.timestamp())}" format="{form}">{at:{words}}</tg-time>')


def until(game: GameRow, seats: Sequence[Seat], now: datetime) -> Markup:
    """ ", until 18:40": the first deadline of these seats; nothing where a bot player is awaited."""
    wanted = {row.seat for row in game.roster if row.seat in seats and row.played_by == "person"}
    times = [timer.at for timer in game.timers if timer.kind == DEADLINE and timer.seat in wanted]
    return say("time.until", time=clock_time(min(times), now)) if times else Markup("")


# --- the lobby ---


def lobby(game: GameRow, now: datetime) -> Wanted:
    page = memo_of(game).page
    if page == "options":
        return _options_page(game)
    if page == "pace":
        return _pace_page(game)
    count = len(game.roster)
    lines = [say("lobby.title"), _crowd(game), _pace_line(game), _rules_line(game)]
    missing = core.LEAST - count
    leader = named(opener(game))
    if missing > 0:
        lines.append(say("lobby.needs", n=missing))
    elif why := _why_not(game):
        lines.append(say("lobby.cannot_start", why=why))
    else:
        lines.append(say("lobby.full" if count == core.MOST else "lobby.ready", opener=leader))
    rows: list[tuple[Button, ...]] = [(_lobby_button(game, "lobby.button_join", "join"),)]
    bots = [_lobby_button(game, "lobby.button_bot", "bot")] if count < core.MOST else []
    if any(row.person is None for row in game.roster):
        bots.append(_lobby_button(game, "lobby.button_no_bot", "no_bot"))
    rows.append(tuple(bots))
    rows.append(
        (_lobby_button(game, "lobby.button_options", "options"), _lobby_button(game, "lobby.button_pace", "pace"))
    )
    start = (
        (button(say_plain("lobby.button_start", n=count), game, "lobby", "start", version=0),) if missing <= 0 else ()
    )
    rows.append((*start, _lobby_button(game, "lobby.button_cancel", "cancel")))
    return screen("\n".join(lines), rows=tuple(row for row in rows if row))


def _lobby_button(game: GameRow, key: str, what: str, number: int = 0) -> Button:
    return button(say_plain(key), game, "lobby", what, number, version=0)


def opener(game: GameRow) -> str:
    row = game.seat_of(game.opened_by)
    return row.name if row is not None else str(memo_of(game).opener)


def _crowd(game: GameRow) -> str:
    if not game.roster:
        return say("lobby.nobody")
    return say(
        "lobby.crowd", names=Markup(" · ".join(shown(row) for row in game.roster)), n=len(game.roster), most=core.MOST
    )


def _pace_line(game: GameRow) -> str:
    return say("lobby.pace", **_pace_values(game.pace))


def _pace_values(word: str) -> dict[str, str]:
    return {"pace": say(f"pace.{word}"), "each": say(f"pace.each_{word}"), "length": say(f"pace.length_{word}")}


def _rules_line(game: GameRow) -> str:
    changed = rulebook.changed_options(game.options)
    return say("lobby.changed", options=", ".join(changed)) if changed else say("lobby.classic")


def _why_not(game: GameRow) -> str | None:
    """Why a game with these options and this many players cannot be played; None if it can."""
    try:
        core.read_options(game.options, len(game.roster))
    except core.Refused as why:
        return str(why)
    return None


def _options_page(game: GameRow) -> Wanted:
    lines = [say("lobby.options_title")]
    buttons: list[Button] = []
    for number, option in enumerate(rulebook.OPTIONS):
        on = option.is_on(game.options)
        lines.append(say("lobby.option_on" if on else "lobby.option_off", name=option.name, text=option.text))
        key = "lobby.button_on" if on else "lobby.button_off"
        wanted = 2 * number + (not on)
        buttons.append(button(say_plain(key, name=option.name), game, "lobby", "option", wanted, version=0))
    delta = int(game.options.get("infected_delta", 0))
    lines.append(
        say(
            "lobby.option_on" if delta else "lobby.option_off", name=rulebook.INFECTED.name, text=rulebook.INFECTED.text
        )
    )
    number_now = say_plain("lobby.button_infected", delta=f"{delta:+d}".replace("-", "−") if delta else "±0")
    infected = (
        _lobby_button(game, "lobby.button_fewer", "infected", max(0, INFECTED_MOST + delta - 1)),
        button(number_now, game, "lobby", "same", version=0),
        _lobby_button(game, "lobby.button_more", "infected", min(2 * INFECTED_MOST, INFECTED_MOST + delta + 1)),
    )
    if why := _why_not(game) if len(game.roster) >= core.LEAST else None:
        lines.append(say("lobby.cannot_start", why=why))
    back = _lobby_button(game, "lobby.button_back", "back")
    return screen("\n".join(lines), rows=(*in_rows(buttons), infected, (back,)))


def _pace_page(game: GameRow) -> Wanted:
    lines = [say("lobby.pace_title")]
    buttons = []
    for number, word in enumerate(PACES):
        chosen = word == game.pace
        lines.append(say("lobby.pace_line", mark="●" if chosen else "○", **_pace_values(word)))
        key = "lobby.button_on" if chosen else "lobby.button_off"
        buttons.append(button(say_plain(key, name=say(f"pace.{word}")), game, "lobby", "set_pace", number, version=0))
    return screen("\n".join(lines), rows=(*in_rows(buttons), (_lobby_button(game, "lobby.button_back", "back"),)))


def lobby_called_off(name: str) -> Wanted:
    return screen(say("lobby.called_off", name=named(name)))


def lobby_closed() -> Wanted:
    return screen(say("lobby.closed"))


def lobby_started(game: GameRow) -> Wanted:
    return screen(say("lobby.started", names=[shown(row) for row in game.roster]))


# --- the board ---


def board(game: GameRow, public: View, now: datetime, bot_name: str) -> Wanted:
    """The camp: the circle in clockwise order, whose turn, who is awaited, the back of the next card."""
    lines = [*camp(game, public), "", awaited(game, public, now)]
    lines.append(say("board.next_card", back=public.top_back) if public.top_back else say("board.no_deck"))
    hand = button(say_plain("board.button_hand"), game, "board", "hand", version=0)
    link = Button(say_plain("board.button_private"), url=private_link(game, bot_name))
    return screen("\n".join(lines), rows=((hand, link),), pin=True)


def camp(game: GameRow, public: View) -> list[str]:
    """The turn and its direction, and the circle."""
    direction = say("board.clockwise" if public.clockwise else "board.counterclockwise")
    return [say("board.title", turn=public.turn, direction=direction), *circle(game, public)]


def circle(game: GameRow, public: View) -> list[Markup]:
    """The living in playing order, with the doors between them and their quarantines; then the dead."""
    rows = {row.seat: row for row in game.roster}
    # A door lies between its two seats: below the first of them in reading order, the last gap below the last seat.
    doors = {left if public.clockwise else right for left, right in public.doors}
    lines = []
    for seat in in_playing_order(public):
        mark = say("board.turn_mark" if seat == public.turn_of else "board.other_mark")
        line = say("board.seat", mark=mark, name=shown(rows[seat]), cards=say("board.cards", n=public.hand_sizes[seat]))
        if turns := public.quarantines.get(seat):
            line = Markup(line + say("board.quarantined", n=turns))
        lines.append(line)
        if seat in doors:
            lines.append(say("board.door"))
    return lines + [say("board.dead", name=shown(rows[dead.seat]), turn=dead.turn) for dead in public.dead]


def in_playing_order(public: View) -> tuple[Seat, ...]:
    """The living as they come to play, from the same first seat whichever way it goes."""
    first, *others = public.seats
    return (first, *(others if public.clockwise else reversed(others)))


def awaited(game: GameRow, public: View, now: datetime) -> str:
    """Who is awaited, and until when."""
    names = [shown(row) for row in game.roster if row.seat in public.asked]
    return say("board.waiting", names=names, until=until(game, public.asked, now))


def board_over(game: GameRow) -> Wanted:
    why = str((game.outcome or {}).get("why"))
    key = {"called off": "board.ended_by_group", "given up": "board.given_up"}.get(why, "board.over")
    return screen(say(key, turn=game.turn))


def call(game: GameRow, row: SeatRow, now: datetime, bot_name: str) -> Wanted:
    """A short new message in the group that rings for one person, who has no private chat with the bot."""
    assert row.person is not None
    hand = button(say_plain("call.button_hand"), game, "board", "hand", version=0)
    link = Button(say_plain("call.button_private"), url=private_link(game, bot_name))
    text = say("call.text", mention=mention(row.person, row.name), until=until(game, [row.seat], now))
    return screen(text, rows=((hand, link),), ring=True, delete=True)


def mention(person: int, name: str) -> Markup:
    return Markup(f'<a href="tg://user?id={person}">{html(name)}</a>')


# --- the end ---


def ending_question(game: GameRow, name: str, needed: int, starter: str, decides: bool) -> Wanted:
    """The question whether to end a game: for who may decide, or as a vote."""
    if decides:
        text = say("ending.ask_starter")
    else:
        votes = len(memo_of(game).ending)
        text = say("ending.ask", name=named(name), n=votes, needed=needed, starter=named(starter))
    rows = (
        (
            button(say_plain("ending.button_end"), game, "ending", "end", version=0),
            button(say_plain("ending.button_play_on"), game, "ending", "play_on", version=0),
        ),
    )
    return screen(text, rows=rows, delete=True)


def the_end(game: GameRow, step: Step) -> Wanted:
    """Who won and why, every role, who infected whom in which turn (SCREENS.md)."""
    names = names_of(game)
    if step.outcome is None:
        text = say("ending.called_off_title", turn=game.turn) + "\n" + narrator.tell_roles(step.table, names)
    else:
        text = narrator.tell_end(step.table, names)
    return screen(text, rows=((button(say_plain("ending.button_again"), game, "ending", "again", version=0),),))


def role_words(view: View, names: dict[Seat, str]) -> str:
    """What I am, and what that lets me know (R8)."""
    match view.role:
        case "thing":
            infected = [named(names[seat]) for seat, role in view.roles.items() if role == "infected"]
            known = f" {say('panel.thing_knows', names=infected)}" if infected else ""
            return say("panel.thing") + known
        case "infected":
            thing = next((seat for seat, role in view.roles.items() if role == "thing"), None)
            if thing is None or any(dead.seat == thing for dead in view.dead):
                return say("panel.infected_alone")
            return say("panel.infected", thing=named(names[thing]))
        case _:
            return say("panel.human")


def hand_alert(game: GameRow, view: View) -> str:
    """The hand as an alert: at most 200 characters of plain text (field/telegram.md 1.1)."""
    if view.outcome is not None or not game.open:
        return say_plain("alert.over")
    if (dead := next((dead for dead in view.dead if dead.seat == view.seat), None)) is not None:
        return say_plain("alert.dead", turn=dead.turn)
    role = {"thing": "panel.the_thing", "infected": "panel.an_infected"}.get(str(view.role), "panel.a_human")

    def told(waiting: str) -> str:
        return say_plain("alert.hand", role=say_plain(role), cards=", ".join(view.hand), waiting=waiting)

    if view.ask is not None:
        return told(say_plain("alert.your_turn"))
    asked = [plain(called(row)) for row in game.roster if row.seat in view.asked]
    text = told(say_plain("alert.waiting", names=", ".join(asked)))
    # Counted as Telegram counts a message: an emoji of a name is two.
    return text if len(text.encode("utf-16-le")) <= 400 else told(say_plain("alert.waiting_many", n=len(asked)))
