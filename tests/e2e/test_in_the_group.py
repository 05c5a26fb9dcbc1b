"""A whole game without leaving the group: four people, none of whom ever pressed Start."""

from __future__ import annotations

from random import Random

from tests.e2e.house import Data, House, Telegram, buttons
from tests.e2e.players import DECLARE, NAMES, answers_in

A_MOMENT = 6.0  # seconds between two presses: what is said aside counts like what is said aloud


def gather(telegram: Telegram) -> tuple[Data, list[Data]]:
    people = [telegram.person(name) for name in NAMES[:4]]
    group = telegram.group("The camp", people, kind="supergroup")
    telegram.write(people[0], "/newgame", group["id"])
    for person in people[1:]:
        press(telegram, group, person, telegram.wait(chat=group["id"], button="Join")["message"], "Join / leave")
    return group, people


def start(telegram: Telegram, group: Data, opener: Data, number: int) -> None:
    lobby = telegram.wait(chat=group["id"], button=f"Start with {number}")["message"]
    press(telegram, group, opener, lobby, f"Start with {number}")
    telegram.wait(chat=group["id"], text="The camp, turn 1")


def press(telegram: Telegram, group: Data, person: Data, message: Data, button: str) -> Data:
    """Press a button of a message in the group, which may be an ephemeral one; the answer to the query."""
    which = {"ephemeral": message["ephemeral"]} if message.get("ephemeral") else {"message": message["id"]}
    found = next(one for one in buttons(message) if one["text"] == button)
    answered = telegram.press(person, group["id"], data=found["data"], **which)
    assert answered["answered"], f"the press on {button} was never answered"
    telegram.forward(A_MOMENT)
    telegram.wait(idle=True, quiet=0.03)
    return answered


def asides(telegram: Telegram, group: Data, person: Data) -> list[Data]:
    """The ephemeral messages that somebody sees in the group."""
    return [one for one in telegram.messages(group["id"], person) if one.get("to") == person["id"]]


def call_for(telegram: Telegram, group: Data, person: Data) -> Data | None:
    """The message in the group that calls somebody."""
    messages = telegram.messages(group["id"], person)
    return next((one for one in messages if one.get("mentions_me") and "the camp waits for you" in one["text"]), None)


def answer(telegram: Telegram, group: Data, person: Data, call: Data, dice: Random) -> None:
    """Open the hand with the button under the call, and press what is there until nothing is asked any more."""
    press(telegram, group, person, call, "🃏 My hand")
    if not asides(telegram, group, person):  # it may not come: then an alert did, and a minute later there is room
        telegram.forward(60)
        return
    number = asides(telegram, group, person)[-1]["ephemeral"]
    while True:
        hand = next(one for one in asides(telegram, group, person) if one["ephemeral"] == number)
        choices = [one for one in answers_in(hand) if one["text"] != DECLARE] or [
            one for one in buttons(hand) if one["text"] == "‹ Back"
        ]
        if not choices:
            return
        press(telegram, group, person, hand, dice.choice(choices)["text"])


def test_the_command_and_its_answer_are_seen_by_who_wrote_it_alone(home: House) -> None:
    telegram = home.telegram
    group, people = gather(telegram)
    start(telegram, group, people[0], 4)
    telegram.settle()
    telegram.write(people[1], "/hand", group["id"])
    telegram.wait(chat=group["id"], **{"as": people[1]["id"]}, button="What I know")
    (hand,) = asides(telegram, group, people[1])
    assert "You are" in hand["text"] and hand["protected"]
    of_another = telegram.messages(group["id"], people[0])
    assert not [one for one in of_another if "/hand" in one["text"] or one.get("ephemeral")]
    before = len(of_another)
    press(telegram, group, people[1], hand, "Table")
    assert "The camp, turn 1" in asides(telegram, group, people[1])[0]["text"]
    # The app was started again: what was ephemeral is gone. The board has it anew.
    telegram.post(f"/people/{people[1]['id']}/restart")
    board = next(one for one in telegram.messages(group["id"], people[1]) if "The camp, turn 1" in one["text"])
    press(telegram, group, people[1], board, "🃏 My hand")
    assert "You are" in asides(telegram, group, people[1])[-1]["text"]
    assert len(telegram.messages(group["id"], people[0])) == before


def test_a_whole_game_is_played_in_the_group_by_people_who_never_pressed_start(home: House) -> None:
    telegram, dice = home.telegram, Random(4)
    group, people = gather(telegram)
    start(telegram, group, people[0], 4)
    end = None
    for _ in range(400):
        awaited = 0
        for person in people:
            if (call := call_for(telegram, group, person)) is not None:
                answer(telegram, group, person, call, dice)
                awaited += 1
        said = telegram.messages(group["id"])
        end = next((one for one in said if any(b["text"] == "Again, same people" for b in buttons(one))), None)
        if end is not None:
            break
        if not awaited:
            telegram.forward(A_MOMENT)
            telegram.wait(idle=True, quiet=0.05)
    assert end is not None and "The Thing" in end["text"]

    ids = {person["id"] for person in people}
    here = {group["id"], *ids}
    calls = [one for one in telegram.get("/calls")["calls"] if one["params"].get("chat_id") in here]
    assert not [one for one in calls if one["ok"] and one["params"].get("chat_id") in ids], "written to in private"
    refused = [f"{one['method']}: {one['description']}" for one in calls if not one["ok"]]
    harmless = ("can't initiate conversation", "not enough rights to manage pinned messages", "Too Many Requests")
    assert all(any(words in why for words in harmless) for why in refused), set(refused)
    # What is said aside uses up the group's limit too, so now and then (for one press in 25 in most games) an alert
    # stands in for a page.
    edits = [one for one in calls if one["method"] == "editEphemeralMessageText"]
    toasts = [one for person in people for one in telegram.get(f"/people/{person['id']}/alerts")["alerts"]]
    alerts = [one for one in toasts if one["show_alert"]]
    assert edits and len(alerts) <= 2 + len(edits) / 10
    for person in people:
        others = [one for one in telegram.messages(group["id"], person) if one.get("to") not in (None, person["id"])]
        assert not others, "nobody sees the hand of another"
    public = [one["text"] for one in telegram.messages(group["id"]) if "ephemeral" not in one]
    assert not [words for words in public if "You are" in words or "You drew" in words]


def board_of(telegram: Telegram, group: Data, person: Data) -> Data:
    return next(one for one in telegram.messages(group["id"], person) if "The camp, turn 1" in one["text"])


def turn_the_page(telegram: Telegram, group: Data, person: Data) -> Data:
    hand = asides(telegram, group, person)[-1]
    page = next(one["text"] for one in buttons(hand) if one["text"] in ("Table", "‹ Back"))
    return press(telegram, group, person, hand, page)


def test_a_panel_outlives_odd_refusals_and_its_own_end(home: House) -> None:
    telegram = home.telegram
    group, people = gather(telegram)
    start(telegram, group, people[0], 4)
    telegram.forward(60)
    press(telegram, group, people[1], board_of(telegram, group, people[1]), "🃏 My hand")
    (hand,) = asides(telegram, group, people[1])
    for fault in (
        {"kind": "400", "text": "SOMETHING_UNHEARD_OF"},
        {"kind": "403", "text": "for some reason"},
        {"kind": "500"},
        {"kind": "reset_before"},
        {"kind": "reset_after"},
    ):
        telegram.post("/faults", method="editEphemeralMessageText", chat=group["id"], **fault)
        answered = turn_the_page(telegram, group, people[1])
        assert answered["show_alert"] and "·" in answered["text"], fault
        assert not turn_the_page(telegram, group, people[1])["show_alert"], fault
    # Telegram has forgotten it, but the app still shows it.
    table = next(one["data"] for one in buttons(hand) if one["text"] == "Table")
    telegram.forward(25 * 3600)
    telegram.settle()
    answered = telegram.press(people[1], group["id"], ephemeral=hand["ephemeral"], data=table, force=True)
    assert answered["answered"] and not answered["show_alert"]
    (anew,) = asides(telegram, group, people[1])
    assert anew["ephemeral"] != hand["ephemeral"] and "The camp, turn" in anew["text"]


def test_a_panel_that_was_open_when_the_group_became_a_supergroup_is_answered_with_an_alert(home: House) -> None:
    telegram = home.telegram
    people = [telegram.person(name) for name in NAMES[:4]]
    group = telegram.group("The camp", people, kind="group")
    telegram.write(people[0], "/newgame", group["id"])
    for person in people[1:]:
        press(telegram, group, person, telegram.wait(chat=group["id"], button="Join")["message"], "Join / leave")
    start(telegram, group, people[0], 4)
    telegram.forward(60)
    press(telegram, group, people[1], board_of(telegram, group, people[1]), "🃏 My hand")
    (hand,) = asides(telegram, group, people[1])
    upgraded = telegram.post(f"/groups/{group['id']}/upgrade")
    telegram.wait(chat=upgraded["id"], text="The camp, turn 1")
    told = press(telegram, group, people[1], hand, "Table")
    assert told["show_alert"] and told["text"].startswith(("Human ·", "Infected ·", "The Thing ·"))
    press(telegram, upgraded, people[1], board_of(telegram, upgraded, people[1]), "🃏 My hand")
    assert "You are" in asides(telegram, upgraded, people[1])[0]["text"]
