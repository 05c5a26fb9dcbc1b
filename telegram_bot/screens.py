"""What is shown: every screen as a function of the game and of what its reader may know. Sends and stores nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import core
from core import Seat, Step, View
from db.records import Button, GameRow, SeatRow, Wanted
from telegram_bot import lengths, narrator, rulebook, seats
from telegram_bot.callback import Pressed, Room
from telegram_bot.memo import Vote, memo_of
from telegram_bot.names import html, plain
from telegram_bot.pace import BANKS, BASES, DEADLINE, PACES, Pace, moment, pace_of, read
from telegram_bot.texts import Markup, say, say_plain

Rows = tuple[tuple[Button, ...], ...]

CHUNK = 5  # mentions in one message; Telegram is said to notify no more of one from a bot
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
    """A player on the board: somebody for whom another plays is marked so, be it a bot player or a person (2.4.6)."""
    name = Markup(html(called(row)))
    return say("board.away", name=name) if seats.is_taken_over(row) else name


def bare(text: Markup) -> str:
    """A text in HTML for a toast, where there is none."""
    return unescape(re.sub(r"<[^>]*>", "", text))


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


def until(game: GameRow, seats: Iterable[Seat], now: datetime) -> Markup:
    """ ", until 18:40": the first deadline of these seats; nothing for a bot player, or while the game stands still."""
    if game.status == "paused":
        return Markup("")
    wanted = {row.seat for row in game.roster if row.seat in set(seats) and row.played_by == "person"}
    times = [timer.at for timer in game.timers if timer.kind == DEADLINE and timer.seat in wanted]
    return say("time.until", time=clock_time(min(times), now)) if times else Markup("")


_SPANS = (("weeks", 7 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60), ("seconds", 1))


def span(time: timedelta) -> str:
    """A time in words, in at most two units: "1 hour 20 minutes", "90 seconds", "24 hours", "3 days"."""
    left = max(0, int(time.total_seconds()))
    # A unit is used from two of it on, so that a pace reads as it is written; smaller ones only beside their next.
    least = {3600: 1, 60: 1 if left == 60 else 2}
    at = next((at for at, (_, size) in enumerate(_SPANS) if left >= size * least.get(size, 2)), len(_SPANS) - 1)
    name, size = _SPANS[at]
    told = say_plain(f"span.{name}", n=left // size)
    if name in ("seconds", "minutes"):
        return told
    smaller, less = _SPANS[at + 1]
    rest = left % size // less
    return f"{told} {say_plain(f'span.{smaller}', n=rest)}" if rest else told


# --- the lobby ---


def lobby(game: GameRow, now: datetime, anyone_starts: bool = False, bots_allowed: bool = True) -> Wanted:
    page = memo_of(game).page
    if page == "options":
        return _options_page(game)
    if page == "pace":
        return _pace_page(game)
    count = len(game.roster)
    lines = [say("lobby.title"), _crowd(game), _pace_line(game), _rules_line(game)]
    memo = memo_of(game)
    if called := len(memo.told) + memo.called_here:
        lines.append(say("nextgame.called", n=called))
    if memo.starts_at:
        lines.append(say("lobby.starts_at", time=clock_time(moment(memo.starts_at), now)))
    missing = core.LEAST - count
    leader = named(opener(game))
    if missing > 0:
        lines.append(say("lobby.needs" if bots_allowed else "lobby.needs_people", n=missing))
    elif why := _why_not(game):
        lines.append(say("lobby.cannot_start", why=why))
    elif anyone_starts:
        lines.append(say("lobby.full_for_all" if count == core.MOST else "lobby.ready_for_all"))
    else:
        lines.append(say("lobby.full" if count == core.MOST else "lobby.ready", opener=leader))
    rows: list[tuple[Button, ...]] = [(_lobby_button(game, "lobby.button_join", "join"),)]
    bots = [_lobby_button(game, "lobby.button_bot", "bot")] if bots_allowed and count < core.MOST else []
    if any(row.person is None for row in game.roster):
        bots.append(_lobby_button(game, "lobby.button_no_bot", "no_bot"))
    rows.append(tuple(bots))
    rows.append(tuple(_lobby_button(game, f"lobby.button_{page}", page) for page in ("options", "pace", "at")))
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
    return say("lobby.pace", **pace_values(pace_of(game), len(game.roster)))


def pace_values(pace: Pace, players: int) -> dict[str, str]:
    """A pace in words: its name, the times, and how long a game of so many players takes with it."""
    word = str(pace)
    return {
        "pace": say(f"pace.{word if word in PACES else 'own'}"),
        "each": span(pace.base),
        "bank": span(pace.bank),
        "length": length(lengths.hours(pace, players)),
    }


def length(hours: tuple[float, float]) -> str:
    """How long a game takes, from so many to so many waking hours, as one would say it."""
    for name, size in (("weeks", 7 * lengths.WAKING), ("days", lengths.WAKING), ("hours", 1), ("minutes", 1 / 60)):
        step = 5 if name == "minutes" else 1
        low, high = (step * max(1, round(some / size / step)) for some in hours)
        if high >= 2:
            break
    return say_plain(f"length.{name}", n=high) if low == high else say_plain(f"length.{name}_range", low=low, high=high)


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
        lines.append(say("lobby.option", name=option.name, text=option.short))
        key = "lobby.button_on" if on else "lobby.button_off"
        wanted = 2 * number + (not on)
        buttons.append(button(say_plain(key, name=option.name), game, "lobby", "option", wanted, version=0))
    delta = int(game.options.get("infected_delta", 0))
    lines.append(say("lobby.option", name=rulebook.INFECTED.name, text=rulebook.INFECTED.short))
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
    """The paces, and buttons that step base and bank of one's own: they set a step, so two taps want the same."""
    lines, chosen, players = [say("lobby.pace_title")], pace_of(game), len(game.roster)
    buttons = []
    for number, (word, pace) in enumerate(PACES.items()):
        mark, key = ("●", "lobby.button_on") if pace == chosen else ("○", "lobby.button_off")
        lines.append(say("lobby.pace_line", mark=mark, **pace_values(pace, players)))
        buttons.append(button(say_plain(key, name=say(f"pace.{word}")), game, "lobby", "set_pace", number, version=0))
    if chosen not in PACES.values():
        lines.append(say("lobby.pace_line", mark="●", **pace_values(chosen, players)))
    steps = (
        _steps(game, "base", chosen.base, BASES),
        _steps(game, "bank", chosen.bank, BANKS),
    )
    back = _lobby_button(game, "lobby.button_back", "back")
    return screen("\n".join(lines), rows=(*in_rows(buttons), *steps, (back,)))


def start_page(game: GameRow, now: datetime, zone: ZoneInfo) -> Wanted:
    """A few times of day to start at; a button says the time, so that two taps want the same."""
    wall = now.astimezone(zone)
    first = wall.hour * 60 + (wall.minute + 15) // 30 * 30 + 30  # half an hour from now, about
    times = [(first + more) % (24 * 60) for more in (0, 30, 60, 120, 180, 240, 360, 480, 720)]
    buttons = []
    for minutes in times:
        label = say_plain("lobby.button_time", time=f"{minutes // 60:02}:{minutes % 60:02}")
        buttons.append(button(label, game, "lobby", "set_at", minutes, version=0))
    last = [_lobby_button(game, "lobby.button_back", "back")]
    if memo_of(game).starts_at:
        last.insert(0, _lobby_button(game, "lobby.button_no_time", "unset_at"))
    title = say("lobby.at_title", zone=zone.key)
    return screen(title, rows=(*in_rows(buttons, 3), tuple(last)))


def ready(game: GameRow, now: datetime) -> Wanted:
    """Shortly before a start that was set: who is there? An edit adds those who are."""
    memo = memo_of(game)
    people = [row for row in game.roster if row.person is not None]
    names = [mention(row.person, row.name) for row in people[:CHUNK] if row.person is not None]
    lines = [say("ready.ask", names=names, time=clock_time(moment(memo.starts_at), now))]
    if there := [named(row.name) for row in people if row.person in memo.ready]:
        lines.append(say("ready.are", names=there))
    rows = ((_lobby_button(game, "ready.button", "ready"),),)
    return screen("\n".join(lines), rows=rows, ring=True, delete=True)


def _steps(game: GameRow, which: str, now: timedelta, ladder: Sequence[timedelta]) -> tuple[Button, ...]:
    """Less, what it is, more: to the steps of the ladder beside it."""
    less = max((n for n, step in enumerate(ladder) if step < now), default=0)
    more = min((n for n, step in enumerate(ladder) if step > now), default=len(ladder) - 1)
    return (
        _lobby_button(game, "lobby.button_less", f"set_{which}", less),
        button(say_plain(f"lobby.button_{which}", time=span(now)), game, "lobby", "same", version=0),
        _lobby_button(game, "lobby.button_more_time", f"set_{which}", more),
    )


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
    speak = button(say_plain("board.button_say"), game, "board", "say", version=0)
    return screen("\n".join(lines), rows=((hand, link), (speak,)), pin=True)


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
    if game.status == "paused":
        return say("board.paused")
    names = [shown(row) for row in game.roster if row.seat in public.asked]
    key = "board.waiting_last" if memo_of(game).last in public.asked else "board.waiting"
    return say(key, names=names, until=until(game, public.asked, now))


def board_over(game: GameRow) -> Wanted:
    why = str((game.outcome or {}).get("why"))
    key = {"called off": "board.ended_by_group", "deserted": "board.given_up"}.get(why, "board.over")
    return screen(say(key, turn=game.turn))


def call(game: GameRow, row: SeatRow, now: datetime, bot_name: str) -> Wanted:
    """A short new message in the group that rings for one person, who has no private chat with the bot."""
    player = seats.player_of(row) or row.person
    assert player is not None
    hand = button(say_plain("call.button_hand"), game, "board", "hand", version=0)
    link = Button(say_plain("call.button_private"), url=private_link(game, bot_name))
    text = say("call.text", mention=mention(player, row.name), until=until(game, [row.seat], now))
    return screen(text, rows=((hand, link),), ring=True, delete=True)


def claims(game: GameRow, row: SeatRow) -> Rows:
    """The buttons under the offer of a seat."""
    number = game.roster.index(row)
    return (
        (button(say_plain("absent.button_take"), game, "absent", "take", number, version=0),),
        (button(say_plain("absent.button_bot"), game, "absent", "let_bot", number, version=0),),
    )


def offer(game: GameRow, row: SeatRow) -> Wanted:
    """A seat whose player has been away may be claimed."""
    return screen(say("absent.offer", name=named(row.name)), claims(game, row), delete=True)


def taken(row: SeatRow) -> Wanted:
    """In its place, when somebody has it; it is the same whoever that is."""
    return screen(say("absent.somebody", name=named(row.name)), delete=True)


def given_back(row: SeatRow) -> Wanted:
    return screen(say("absent.back", name=named(row.name)), delete=True)


def mention(person: int, name: str) -> Markup:
    return Markup(f'<a href="tg://user?id={person}">{html(name)}</a>')


# --- the end ---


def vote(game: GameRow, what: str, asked: Vote, votes: int, needed: int, decides: bool, who: str) -> Wanted:
    """A question put to the group, as a vote, which *who* may decide alone; or, whether to end the game, to these."""
    if decides:
        text = say("votes.end_alone")
    else:
        pace = pace_values(read(asked.value), len(game.roster)) if what == "pace" else {}
        values = {**pace, "who": who}
        text = say(f"votes.{what}", name=named(asked.asker), n=votes, needed=needed, **values)
    answers = (
        button(say_plain(f"votes.button_{what}"), game, "vote", what, 1, version=asked.number),
        button(say_plain(f"votes.button_no_{what}"), game, "vote", what, 0, version=asked.number),
    )
    return screen(text, rows=(answers,), delete=True)


def carried(game: GameRow, what: str) -> Wanted:
    """What the group decided, in the place of the question."""
    return screen(say(f"votes.carried_{what}", **pace_values(pace_of(game), len(game.roster))), delete=True)


def the_end(game: GameRow, step: Step, truth: Iterable[str] = ()) -> Wanted:
    """Who won and why, every role, who infected whom in which turn (SCREENS.md); and who told the *truth*."""
    names = names_of(game)
    if step.outcome is None:
        key = "ending.deserted_title" if (game.outcome or {}).get("why") == "deserted" else "ending.called_off_title"
        text = say(key, turn=game.turn) + "\n" + narrator.tell_roles(step.table, names)
    else:
        text = narrator.tell_end(step.table, names)
    text = "\n".join([text, *truth])
    again = button(say_plain("ending.button_again"), game, "ending", "again", version=0)
    story = button(say_plain("ending.button_story"), game, "ending", "story", version=0)
    return screen(text, rows=((again,), (story,)))


def role_words(view: View, names: dict[Seat, str]) -> Markup:
    """What I am, and what that lets me know (R8)."""
    match view.role:
        case "thing":
            infected = [named(names[seat]) for seat, role in view.roles.items() if role == "infected"]
            known = f" {say('panel.thing_knows', names=infected)}" if infected else ""
            return Markup(say("panel.thing") + known)
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
