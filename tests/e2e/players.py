"""People at their phones: they read what they were sent, and press only buttons that are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.e2e.house import Data, House, Telegram, buttons

# Buttons of a hand that turn pages and answer nothing.
PAGES = ("Table", "What I know", "‹ Back", "Play on myself", "Prepare an answer")
PREPARES = ("↪ offer", "✓ offer")  # what prepares an answer only
DECLARE = "Declare: no Human is left"
A_MOMENT = 2.0  # seconds between two presses, let pass by moving the clock: nobody is faster than Telegram's limits
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")

Chooser = Callable[["Party", Data, Sequence[Data]], Data]


def answers_in(hand: Data) -> list[Data]:
    """The buttons of a hand that answer, or lead to an answer."""
    return [one for one in buttons(hand) if one["text"] not in PAGES and not one["text"].startswith(PREPARES)]


class Party:
    """A group and its people, who see what is new in their chats and remember what they saw."""

    def __init__(self, house: House, number: int, dice: Random, started: bool = True) -> None:
        self.telegram: Telegram = house.telegram
        self.dice = dice
        self.people = [self.telegram.person(name) for name in NAMES[:number]]
        self.by_name = {person["name"]: person for person in self.people}
        for person in self.people if started else ():
            self.telegram.post(f"/people/{person['id']}/start")
        self.group = self.telegram.group("The camp", self.people)
        self._seen: dict[int, tuple[int, dict[int, Data]]] = {}
        self.answers = 0
        self.after = int(self.telegram.get("/calls", last=1)["calls"][-1]["n"])

    def moved_to(self, group: Data) -> None:
        """The group is another chat now."""
        self.group = group
        self._seen.pop(group["id"], None)

    # --- reading ---

    def look(self, chat: object, person: Data | None = None) -> dict[int, Data]:
        """The messages of a chat as they are now, by number."""
        key = self.group["id"] if person is None else person["id"]
        since, messages = self._seen.get(key, (None, {}))
        found = self.telegram.get(f"/chats/{chat}/messages", **{"as": person and person["id"]}, since=since)
        for message in found["messages"]:
            messages[message["id"]] = message
        for gone in found.get("gone") or ():
            messages.pop(gone["id"], None)
        self._seen[key] = (found["seq"], messages)
        return messages

    def of_group(self, words: str = "", button: str = "") -> Data | None:
        """The newest message of the group that holds these words, and has that button."""
        for _, message in sorted(self.look(self.group["id"]).items(), reverse=True):
            if words in message.get("text", "") and (not button or any(button in b["text"] for b in buttons(message))):
                return message
        return None

    def hand(self, person: Data) -> Data | None:
        """The newest hand in somebody's private chat."""
        for _, message in sorted(self.look("private", person).items(), reverse=True):
            if buttons(message) and buttons(message)[0]["kind"] == "data":
                return message
        return None

    def awaited(self) -> list[Data]:
        """Whom the board says that the camp waits for."""
        board = self.of_group("The camp, turn")
        waiting = re.search(r"Waiting for (.*)\n", board["text"]) if board else None
        bare = re.sub("[\u2068\u2069]", "", waiting[1]).split(", until")[0].split(" alone;")[0] if waiting else ""
        named = re.split(r", | and ", bare.rstrip("."))
        return [self.by_name[name] for name in named if name in self.by_name]

    @property
    def turn(self) -> int:
        found = self.of_group("The camp, turn")
        return int(re.search(r"turn (\d+)", found["text"])[1]) if found else 0  # type: ignore[index]

    # --- doing ---

    def press(self, person: Data, message: Data, button: Data, private: bool = False) -> Data:
        """Press a button, see the query answered, and let a moment pass."""
        chat = "private" if private else self.group["id"]
        answered = self.telegram.press(person, chat, message=message["id"], data=button["data"])
        assert answered["answered"], f"the press on {button['text']} was never answered"
        if ".choose." in button["data"] or ".declare." in button["data"]:
            self.answers += 1
        self.pass_a_moment()
        return answered

    def pass_a_moment(self, seconds: float = A_MOMENT) -> None:
        self.telegram.forward(seconds)
        self.telegram.wait(idle=True, quiet=0.02)

    def let_the_clock_ring(self, seconds: float) -> None:
        """Let so much time pass, and see what the bot makes of it: its clock looks once a second."""
        after = self.telegram.get("/calls", last=1)["calls"][-1]["n"]
        self.telegram.forward(seconds)
        self.telegram.wait(call="editMessageText", after=after)
        self.pass_a_moment()

    def press_in_group(self, person: Data, button: str) -> Data:
        message = self.telegram.wait(chat=self.group["id"], button=button)["message"]
        return self.press(person, message, next(one for one in buttons(message) if button in one["text"]))

    def gather(self, *pages: str, bots: int = 0) -> None:
        """A lobby in which everybody is, and a game begun; *pages* are buttons pressed before."""
        opener, *others = self.people
        self.telegram.write(opener, "/newgame", self.group["id"])
        self.telegram.wait(chat=self.group["id"], button="Join")
        for person in others:
            self.press_in_group(person, "Join / leave")
        for _ in range(bots):
            self.press_in_group(opener, "+ Bot player")
        for page in pages:
            self.press_in_group(opener, page)
        self.press_in_group(opener, f"Start with {len(self.people) + bots}")
        self.telegram.wait(chat=self.group["id"], text="The camp, turn")

    def play(self, choose: Chooser, turns: int = 10_000) -> Data | None:
        """Who is awaited answers, until the end is told, or that many turns were played."""
        idle, before = 0, 0
        while idle < 30:
            if (end := self.of_group(button="Again, same people")) is not None:
                return end
            if self.turn > turns:
                return None
            pressed = [self.look_and_answer(person, choose) for person in self.awaited()]
            idle = 0 if any(pressed) or self.turn > before else idle + 1
            before = self.turn
            if not any(pressed):
                self.let_the_clock_ring(6)
        raise AssertionError("the game does not go on")

    def look_and_answer(self, person: Data, choose: Chooser) -> bool:
        """Look at the hand, and press what is there until nothing is asked any more; False if nothing was."""
        pressed = False
        while (hand := self.hand(person)) is not None:
            shown = answers_in(hand)
            if not [button for button in shown if button["text"] != DECLARE]:
                back = [button for button in buttons(hand) if button["text"] == "‹ Back"]
                if not back:
                    break
                shown = back
            self.press(person, hand, choose(self, hand, shown), private=True)
            pressed = True
        return pressed


def any_button(party: Party, hand: Data, shown: Sequence[Data]) -> Data:
    """Any of them, but no declaration."""
    return party.dice.choice([one for one in shown if one["text"] != DECLARE])


def fiery(party: Party, hand: Data, shown: Sequence[Data]) -> Data:
    """Whoever may burn somebody does; nobody resists: the game is short."""
    for words in ("🔥 Burn", "Burn", "Flamethrower", "Declare it"):
        found = [one for one in shown if one["text"].startswith(words)]
        if found:
            return party.dice.choice(found)
    if "Flamethrower" in hand["text"] and (aims := [one for one in shown if one["text"].startswith("on ")]):
        return party.dice.choice(aims)
    return any_button(party, hand, shown)


def bored_thing(after: int) -> Chooser:
    """Any button; but from turn *after* on The Thing declares, true or not, which ends the game."""

    def choose(party: Party, hand: Data, shown: Sequence[Data]) -> Data:
        wanted = [one for one in shown if one["text"] in (DECLARE, "Declare it")]
        return wanted[0] if wanted and party.turn > after else any_button(party, hand, shown)

    return choose
