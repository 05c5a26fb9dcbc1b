"""People at their phones: they read what they were sent, and press only buttons that are there."""

from __future__ import annotations

from random import Random

from tests.e2e.house import Data, Telegram, buttons

# Buttons of a hand that turn pages and answer nothing.
PAGES = ("Table", "What I know", "‹ Back", "Declare: no Human is left", "Prepare an answer")
PREPARES = ("⤷ offer", "✓ offer")  # what prepares an answer only
A_MOMENT = 2.0  # seconds between two presses, let pass by moving the clock: nobody is faster than Telegram's limits


def hand_of(telegram: Telegram, person: Data) -> Data | None:
    """The newest hand in somebody's private chat."""
    with_buttons = (message for message in reversed(telegram.private(person)) if buttons(message))
    return next((message for message in with_buttons if buttons(message)[0]["kind"] == "data"), None)


def answers_in(hand: Data | None) -> list[Data]:
    """The buttons that answer, or lead to an answer."""
    found = (button for button in buttons(hand or {}) if button["text"] not in PAGES)
    return [button for button in found if not button["text"].startswith(PREPARES)]


def look_and_answer(telegram: Telegram, person: Data, dice: Random) -> bool:
    """Look at the hand, and press what is there until nothing is asked any more; False if nothing was."""
    pressed = False
    while (hand := hand_of(telegram, person)) is not None:
        choices = answers_in(hand)
        if not choices:
            back = [button for button in buttons(hand) if button["text"] == "‹ Back"]
            if not back:
                break
            choices = back
        press(telegram, person, hand, dice.choice(choices))
        pressed = True
    return pressed


def press(telegram: Telegram, person: Data, message: Data, button: Data, chat: object = "private") -> Data:
    """Press a button, see the query answered, and let a moment pass."""
    answered = telegram.press(person, chat, message=message["id"], data=button["data"])
    assert answered["answered"], f"the press on {button['text']} was never answered"
    telegram.forward(A_MOMENT)
    telegram.wait(idle=True, quiet=0.03)
    return answered


def last_with(telegram: Telegram, chat: object, words: str) -> Data | None:
    """The newest message of a chat that holds these words."""
    return next((message for message in reversed(telegram.messages(chat)) if words in message["text"]), None)
