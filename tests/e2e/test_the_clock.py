"""The clock of a game on the real processes: how long an answer may take, quiet hours, nudges, pauses, orders ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.house import Data, House, buttons
from tests.e2e.players import Party, any_button

KOLKATA = ZoneInfo("Asia/Kolkata")  # half an hour beside the others
MINUTE, HOUR = 60.0, 3600.0


def now(party: Party) -> datetime:
    return datetime.fromtimestamp(party.telegram.get("/clock")["now"], UTC)


def deadline(party: Party) -> datetime:
    """Until when the board says that it waits."""
    board = party.of_group("The camp, turn")
    assert board is not None
    (until,) = [one["unix_time"] for one in board["entities"] if one["type"] == "date_time"]
    return datetime.fromtimestamp(until, UTC)


def rung(party: Party, since: int) -> list[tuple[str, bool]]:
    """Whose phone has rung with a sound since then, and whether in the private chat."""
    names = {person["id"]: person["name"] for person in party.people}
    heard = party.telegram.get("/rings")["rings"]
    loud = [one for one in heard if one["sound"] and one["order"] > since and one["person"] in names]
    return [(names[one["person"]], one["chat"] in names) for one in loud]


def so_far(party: Party) -> int:
    """The number of the last message that rang."""
    return max((int(ring["order"]) for ring in party.telegram.get("/rings")["rings"]), default=0)


def seq(party: Party) -> int:
    return int(party.telegram.get("/state")["seq"])


def write(party: Party, who: Data, words: str) -> str:
    """A command in the group, and what the bot says there then."""
    before = seq(party)
    party.telegram.write(who, words, party.group["id"])
    party.pass_a_moment(6)
    found = party.telegram.messages(party.group["id"], since=before)
    return "\n".join(one["text"] for one in found if one["from"]["id"] != who["id"])


def gather(party: Party, words: str) -> None:
    """A game at that pace; the first player opens it, and is the group's owner."""
    party.telegram.write(party.people[0], "/newgame", party.group["id"])
    party.telegram.wait(chat=party.group["id"], button="Join")
    for person in party.people[1:]:
        party.press_in_group(person, "Join / leave")
    write(party, party.people[0], f"/pace {words}")
    party.press_in_group(party.people[0], "Start with 4")
    party.telegram.wait(chat=party.group["id"], text="The camp, turn")


def is_round_and_round(party: Party) -> bool:
    """Whether a game began with the one question that is put to everybody at once, and has half of the time."""
    hand = party.hand(party.people[0])
    return hand is not None and "Round and Round" in hand["text"]


def who_is_late(party: Party) -> Data:
    """Somebody who is awaited alone."""
    while len(waiting := party.awaited()) != 1:
        for person in waiting:
            party.look_and_answer(person, discards)
        party.pass_a_moment(6)
    party.pass_a_moment(2 * MINUTE)
    return waiting[0]


def forward_to(party: Party, hour: int, minute: int, zone: ZoneInfo = KOLKATA) -> datetime:
    """Until the wall clock shows that time next."""
    since = now(party)
    at = since.astimezone(zone).replace(hour=hour, minute=minute, second=0, microsecond=0)
    at += timedelta(days=at <= since)
    after = party.telegram.get("/calls", last=1)["calls"][-1]["n"]
    party.telegram.forward((at - since).total_seconds() + 1)
    party.telegram.wait(idle=True, quiet=1.2)  # the clock looks once a second
    assert party.telegram.get("/calls", last=1)["calls"][-1]["n"] >= after
    return at


def choose(party: Party, who: Data, *path: str) -> None:
    """Press through a menu of the group."""
    for button in path:
        while True:
            menu = party.of_group(button="Done") or party.of_group(button="‹ Back")
            assert menu is not None
            here = [one for one in buttons(menu) if one["text"].endswith(button)]
            party.press(who, menu, here[0] if here else next(one for one in buttons(menu) if one["text"] == "›"))
            party.pass_a_moment(6)
            if here:
                break


def discards(party: Party, hand: Data, shown: list[Data]) -> Data:
    """Nobody plays a card that is not forced to."""
    quiet = [one for one in shown if one["text"] == "Discard it"]
    return quiet[0] if quiet else any_button(party, hand, [one for one in shown if not one["text"].startswith("on ")])


@pytest.mark.parametrize(
    ("words", "base", "bank"),
    [
        ("blitz", 1.5 * MINUTE, 3 * MINUTE),
        ("evening", 5 * MINUTE, 15 * MINUTE),
        ("day", 30 * MINUTE, 2 * HOUR),
        ("slow", 8 * HOUR, 24 * HOUR),
        ("7m 20m", 7 * MINUTE, 20 * MINUTE),
    ],
)
def test_the_first_deadline_is_the_base_time_and_the_bank(home: House, words: str, base: float, bank: float) -> None:
    party = Party(home, 4, Random(1))
    gather(party, words)
    board = party.of_group("The camp, turn")
    assert board is not None
    share = base / 2 if is_round_and_round(party) else base
    assert deadline(party).timestamp() - board["date"] == pytest.approx(share + bank, abs=3)


def test_a_night_in_the_group(home: House) -> None:
    """The clock stands still in the quiet hours of the group's zone, moves are taken, and the calls come as one."""
    party = Party(home, 4, Random(2))
    ann = party.people[0]
    write(party, ann, "/settings")
    choose(party, ann, "Time zone", "Asia", "Kolkata")
    choose(party, ann, "Quiet hours", "23:00–08:00")
    menu = party.of_group(button="Done")
    assert menu is not None and "Time zone: Asia/Kolkata" in menu["text"] and "23:00–08:00" in menu["text"]
    forward_to(party, 22, 45)
    gather(party, "day")
    asked, until = party.awaited(), deadline(party)
    ends = forward_to(party, 23, 5) + timedelta(hours=8, minutes=55)
    left = timedelta(hours=2, minutes=0 if is_round_and_round(party) else 15)
    assert abs(until - ends - left) < timedelta(minutes=2)
    night = so_far(party)
    for _ in range(3):
        for person in party.awaited():
            party.look_and_answer(person, discards)
        party.pass_a_moment(100)  # who can only pass does
    assert party.turn > 1 and rung(party, night) == []
    waiting = party.awaited()
    other = next(person for person in party.people if waiting and person not in waiting)
    assert "It is quiet until" in write(party, other, "/nudge")
    evening = so_far(party)
    forward_to(party, 8, 0)
    party.telegram.wait(chat=party.group["id"], text="Morning in the camp")
    party.telegram.wait(idle=True, quiet=1.2)
    assert sorted(rung(party, evening)) == sorted((person["name"], True) for person in waiting)
    assert asked and deadline(party) > ends + timedelta(hours=2)


def test_others_nudge_once_an_hour_who_keeps_them_waiting(home: House) -> None:
    party = Party(home, 4, Random(3))
    gather(party, "day")
    late = who_is_late(party)
    one, other, *_ = [person for person in party.people if person != late]
    before = so_far(party)
    assert "It is you who is awaited" in write(party, late, "/nudge")
    assert rung(party, before) == []
    assert "Nudged" in write(party, one, "/nudge") and rung(party, before) == [(late["name"], True)]
    before = so_far(party)
    assert "less than an hour" in write(party, other, "/nudge") and rung(party, before) == []
    before = so_far(party)
    party.telegram.forward(HOUR + 20 * MINUTE)
    party.telegram.wait(chat="private", **{"as": late["id"]}, text="still waiting for you")
    assert rung(party, before) == [], "half of the time is over, and the reminder makes no sound"
    before = so_far(party)
    assert "Nudged" in write(party, other, "/nudge") and rung(party, before) == [(late["name"], True)]
    hand = party.hand(late)
    assert hand is not None and "still waiting for you" in hand["text"]
    others = [party.hand(person) for person in party.people if person != late]
    assert not any("still waiting" in shown["text"] for shown in others if shown is not None)


def test_most_of_the_players_pause_a_game_and_its_clock(home: House) -> None:
    party = Party(home, 4, Random(4))
    gather(party, "day")
    late, until = who_is_late(party), deadline(party)
    bob, cid, dan = party.people[1:]
    assert "1 of 3 are for it" in write(party, bob, "/pause")
    for person in (bob, cid, dan):
        party.press_in_group(person, "Pause")
    board = party.of_group("The camp, turn")
    assert board is not None and "paused" in board["text"]
    turn = party.turn
    party.pass_a_moment(50 * HOUR)
    assert party.turn == turn
    write(party, party.people[0], "/resume")  # the owner of the group alone
    assert party.awaited() == [late]
    assert abs(deadline(party) - until - timedelta(hours=50)) < timedelta(minutes=2)


def test_an_order_ahead_answers_after_the_process_was_killed(home: House) -> None:
    party = Party(home, 4, Random(5))
    gather(party, "day")
    for person in party.people:
        if person in party.awaited():
            continue
        for button in ("Prepare an answer", "To an offer", "", "Until I take it back"):
            hand = party.hand(person)
            assert hand is not None
            found = [one for one in buttons(hand) if one["text"] == button] if button else buttons(hand)
            party.press(person, hand, found[0], private=True)
    home.processes["web"].kill()
    home.processes["web"].wait()
    home.start_web()
    used = False
    for _ in range(60):
        for person in party.awaited():
            hand = party.hand(person)
            assert hand is not None
            if "Your order answers soon" in hand["text"]:
                party.let_the_clock_ring(100)
                hand = party.hand(person)
                assert hand is not None
                used = "Your order" not in hand["text"]  # else another edit was seen, and the order is a tick late
            elif not party.look_and_answer(person, discards):
                party.pass_a_moment(6)  # the board is a moment late
        if used:
            return
    raise AssertionError(f"no order was used until turn {party.turn}")
