"""An evening made by hand, in which everything happens that can: for tests that must miss no sentence."""

from __future__ import annotations

from core import Event
from core.events import (
    CardDiscarded,
    CardDrawn,
    CardKept,
    CardLeftOnDeck,
    CardPassedOn,
    CardPlayed,
    DeckRenewed,
    Declared,
    Defended,
    DirectionTurned,
    DoorBarred,
    DoorRemoved,
    Eliminated,
    Exchanged,
    GameEnded,
    HandedOn,
    HandShown,
    NotExchanged,
    NothingShown,
    Offered,
    PanicDrawn,
    PanicsPassedOver,
    Quarantined,
    QuarantineEnded,
    SeatsKept,
    SeatsSwapped,
    TurnBegan,
    TurnedInfected,
    TurnedThing,
)
from telegram_bot.happenings import Claimed, SeatGivenBack, SeatTakenOver, TimeRanOut

ANN, BOB, CID, DAN = "s1", "s2", "s3", "s4"
NAMES = {ANN: "Ann", BOB: "Bob", CID: "Cid", DAN: "Dan"}


def drew(seat: str, card: str = "Axe", *, again: bool = False, up: bool = False) -> Event:
    return CardDrawn(seat=seat, card=card, replacement=again, face_up=up)


def discarded(seat: str, card: str = "Axe", *, surplus: bool = False, up: bool = False) -> Event:
    return CardDiscarded(seat=seat, card=card, surplus=surplus, face_up=up)


def swapped(giver: str, taker: str, *, given: str = "Axe", returned: str = "Whisky", up: bool = False) -> Event:
    return Exchanged(giver=giver, taker=taker, given=given, returned=returned, face_up=up)


def exchange(giver: str, taker: str) -> list[Event]:
    return [Offered(giver, taker, "Axe"), swapped(giver, taker)]


def played(seat: str, card: str, at: str | None = None) -> list[Event]:
    return [drew(seat, card), CardPlayed(seat, card, at)]


def panic(seat: str, card: str) -> Event:
    return PanicDrawn(seat, card)


def shown(seat: str, by: str, to: tuple[str, ...] | None, *cards: str) -> Event:
    return HandShown(seat, by, to, cards)


FOUR = ("Axe", "Axe", "Missed!", "No, Thanks!")

# What happens in a turn, after its beginning; Ann plays.
TURNS: list[list[Event]] = [
    [drew(ANN), discarded(ANN), *exchange(ANN, BOB)],
    [*played(ANN, "Flamethrower", BOB), Defended(BOB, "No Barbeque!", ANN, "Flamethrower"), drew(BOB, again=True),
     Offered(ANN, BOB, "Axe"), Defended(BOB, "Scary", ANN), shown(ANN, "Scary", (BOB,), "Axe"),
     PanicsPassedOver(BOB, 1), drew(BOB, again=True)],
    [*played(ANN, "Analysis", BOB), shown(BOB, "Analysis", (ANN,), *FOUR), Offered(ANN, BOB, "Axe"),
     Defended(BOB, "No, Thanks!", ANN), PanicsPassedOver(BOB, 2), DeckRenewed(40), drew(BOB, again=True)],
    [*played(ANN, "Axe", BOB), DoorRemoved(ANN, BOB), *exchange(ANN, BOB)],
    [*played(ANN, "Axe", BOB), QuarantineEnded(BOB), *exchange(ANN, BOB)],
    [*played(ANN, "Suspicion", BOB), shown(BOB, "Suspicion", (ANN,), "Axe"), Offered(ANN, BOB, "Axe"),
     Defended(BOB, "Missed!", ANN), HandedOn(ANN, BOB, CID), drew(BOB, again=True), swapped(ANN, CID)],
    [*played(ANN, "Whisky"), shown(ANN, "Whisky", None, *FOUR), Offered(ANN, BOB, "Axe"), Defended(BOB, "Missed!", ANN),
     HandedOn(ANN, BOB, None), drew(BOB, again=True)],
    [*played(ANN, "Resolute"), *[drew(ANN, again=True)] * 3, CardKept(ANN, "Axe"), discarded(ANN), discarded(ANN),
     discarded(ANN, "Whisky"), *exchange(ANN, BOB)],
    [*played(ANN, "Watch Your Back"), DirectionTurned(False), *exchange(ANN, DAN)],
    [*played(ANN, "Watch Your Back"), DirectionTurned(True), *exchange(ANN, BOB)],
    [*played(ANN, "Change Places!", BOB), SeatsSwapped(ANN, BOB), *exchange(ANN, CID)],
    [*played(ANN, "You'd Better Run!", CID), Defended(CID, "I'm Comfortable", ANN, "You'd Better Run!"),
     drew(CID, again=True), *exchange(ANN, BOB)],
    [*played(ANN, "Seduction", CID), Offered(ANN, CID, "Infected!"), swapped(ANN, CID, given="Infected!"),
     TurnedInfected(CID, ANN), discarded(CID, "Infected!", surplus=True), drew(CID, again=True)],
    [*played(ANN, "Quarantine", ANN), Quarantined(ANN, 3), NotExchanged(ANN, BOB, "Quarantine")],
    [*played(ANN, "Quarantine", BOB), Quarantined(BOB, 2), drew(BOB, "Whisky", up=True), discarded(BOB, up=True),
     Offered(ANN, BOB, "Axe"), swapped(ANN, BOB, up=True), QuarantineEnded(ANN, spent=True)],
    [*played(ANN, "Barred Door", BOB), DoorBarred(ANN, BOB), NotExchanged(ANN, BOB, "Barred Door")],
    [panic(ANN, "Rotten Ropes"), QuarantineEnded(BOB), *exchange(ANN, BOB)],
    [panic(ANN, "Rotten Ropes"), *exchange(ANN, BOB)],
    [panic(ANN, "One, Two..."), SeatsKept(ANN, "One, Two...", "Quarantine"), *exchange(ANN, BOB)],
    [panic(ANN, "Three, Four..."), DoorRemoved(ANN, BOB), *exchange(ANN, BOB)],
    [panic(ANN, "Three, Four..."), *exchange(ANN, BOB)],
    [panic(ANN, "So This Is the Party?"), SeatsSwapped(ANN, BOB), SeatsSwapped(CID, DAN), *exchange(ANN, CID)],
    [panic(ANN, "Get Out of Here!"), SeatsKept(ANN, "Get Out of Here!"), *exchange(ANN, BOB)],
    [panic(ANN, "Forgetful"), discarded(ANN), discarded(ANN), discarded(ANN), *[drew(ANN, again=True)] * 3,
     *exchange(ANN, BOB)],
    [panic(ANN, "Round and Round"), CardPassedOn(giver=ANN, taker=BOB, card="Axe"),
     CardPassedOn(giver=BOB, taker=CID, card="Axe", face_up=True), CardPassedOn(giver=CID, taker=ANN, card="Axe")],
    [panic(ANN, "Can't We Be Friends?"), *exchange(ANN, CID), *exchange(ANN, BOB)],
    [panic(ANN, "Blind Date"), drew(ANN, again=True), CardLeftOnDeck(ANN, "Axe")],
    [panic(ANN, "Oops!"), shown(ANN, "Oops!", None, *FOUR), *exchange(ANN, BOB)],
    [panic(ANN, "Just Between Us..."), shown(ANN, "Just Between Us...", (BOB,), *FOUR), *exchange(ANN, BOB)],
    [panic(ANN, "Just Between Us..."), *exchange(ANN, BOB)],
    [panic(ANN, "Revelations"), NothingShown(ANN), shown(BOB, "Revelations", None, *FOUR),
     shown(CID, "Revelations", None, "Infected!"), *exchange(ANN, BOB)],
    [panic(ANN, "Revelations"), shown(ANN, "Revelations", None, "Axe", "Infected!"), *exchange(ANN, BOB)],
    [drew(ANN, "The Thing"), TurnedThing(ANN), SeatTakenOver(BOB), TimeRanOut(ANN), discarded(ANN),
     SeatGivenBack(BOB), *exchange(ANN, BOB)],
    [*played(ANN, "Flamethrower", BOB), Eliminated(BOB, ANN), QuarantineEnded(BOB), *exchange(ANN, CID)],
    *[
        [*played(ANN, "Flamethrower", BOB), Eliminated(BOB, ANN), GameEnded(why, winners)]
        for why, winners in (
            ("The Thing burned", (ANN,)),
            ("The Thing burned", ()),
            ("one player is left", (ANN,)),
            ("one faction is left", (ANN,)),
        )
    ],
    [Declared(ANN, True), GameEnded("no Human is left", (ANN, BOB))],
    [Declared(ANN, True), GameEnded("no Human is left and nobody was eliminated", (ANN,))],
    [drew(ANN), Declared(CID, False), GameEnded("The Thing was wrong", (ANN,))],
    [drew(ANN), *[Claimed(BOB, about, what) for about in (BOB, ANN) for what in ("human", "infected", "thing")],
     discarded(ANN), *exchange(ANN, BOB)],
]  # fmt: skip

EVENING: list[list[Event]] = [[TurnBegan(ANN, number), *turn] for number, turn in enumerate(TURNS, 1)]
