"""What became of everything: the database, what people see, and what went over the wire, held against each other."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import core
from bench.control import Data, Telegram, buttons
from db.records import GameRow, ScreenRow
from db.store import Store
from playground.text import formatted

TURN = re.compile(r"The camp, turn (\d+)")


@dataclass
class Wire:
    """What is kept of the record: updates that were answered, messages that were sent, and what the boards said."""

    read: int = 0
    answered: dict[int, list[str]] = field(default_factory=dict)  # how the deliveries of each ended
    deliveries: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    sent: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)  # (chat, message): number, fault
    back: int = 0  # boards that went back in time
    _turn: dict[tuple[int, int], int] = field(default_factory=dict)

    async def follow(self, telegram: Telegram) -> None:
        """Read on; the playground forgets what is old."""
        found = await telegram.get("traffic", after=self.read)
        self.read = found["n"]
        for entry in found["traffic"]:
            if entry["what"] == "delivery":
                self._delivered(entry)
            elif entry["encoding"] != "webhook answer":
                self._called(entry)

    def _delivered(self, entry: Data) -> None:
        self.deliveries["200" if entry["status"] == 200 else str(entry["status"] or "none")] += 1
        if entry["kind"] == "callback_query":
            how = (
                f"{entry['status'] or entry['error']} (entry {entry['n']}, {entry['seconds']} s, {entry['key'][-12:]})"
            )
            self.answered.setdefault(entry["update_id"], []).append(how)

    def _called(self, entry: Data) -> None:
        self.calls[entry.get("fault") or ("done" if entry["ok"] else _said(entry))] += 1
        if not entry["ok"] or entry["method"] not in ("sendMessage", "editMessageText"):
            return
        chat = int(entry["params"]["chat_id"])
        message = entry["result"]["message_id"]
        if entry["method"] == "sendMessage":
            self.sent[chat, message] = entry["n"], entry.get("fault", "")
        if (turn := TURN.search(entry["params"]["text"])) is not None:
            before = self._turn.get((chat, message), 0)
            self.back += int(turn[1]) < before
            self._turn[chat, message] = int(turn[1])


def _said(entry: Data) -> str:
    return f"{entry['error_code']} {entry['description'][:60]}" if entry["error_code"] != 429 else "429 by the limits"


@dataclass
class Verdict:
    """The figures, each with its first few cases."""

    figures: dict[str, int] = field(default_factory=dict)
    cases: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def count(self, what: str, cases: Iterable[str]) -> None:
        found = list(cases)
        self.figures[what] = len(found)
        self.cases[what] += found[:5]

    def __str__(self) -> str:
        lines = []
        for what, number in self.figures.items():
            lines.append(f"{number:8}  {what}")
            lines += [f"          . {case}" for case in self.cases[what]]
        return "\n".join(lines)


LOST = "updates answered 200 and lost"
TWICE = "answers applied twice, lost or out of order"
NEVER = "screens never shown"
DIFFERENT = "screens different from the database"
DISORDER = "screens out of order"
GIVEN_UP = "turn lines given up, whose answer from Telegram was lost"
DOUBLED = "new messages doubled, though the answer came"
DOUBLED_LOST = "new messages doubled, whose answer from Telegram was lost"
DOUBLED_KILLED = "new messages doubled, whose sender was killed"
COMPLAINTS = "errors in the logs"

#: What must not be.
GOALS = (LOST, TWICE, NEVER, DIFFERENT, DISORDER, DOUBLED, COMPLAINTS)


async def judge(
    store: Store, telegram: Telegram, wire: Wire, killed: list[tuple[int, int]], complaints: list[str]
) -> Verdict:
    """Everything that can be said when all is quiet. *killed*: the record's numbers before and after each kill -9."""
    verdict = Verdict()
    async with store.engine.connect() as connection:
        rows = await connection.exec_driver_sql("select update_id from updates")
        applied = {row[0] for row in rows}
        rows = await connection.exec_driver_sql("select update_id from failures where put_aside")
        applied |= {row[0] for row in rows}
        rows = await connection.exec_driver_sql("select id from games order by id")
        games = [game for row in rows if (game := await store.game(row[0])) is not None]
    lost = {number: how for number, how in wire.answered.items() if number not in applied}
    verdict.count(
        LOST,
        (f"update {number}: {', '.join(how)}" for number, how in lost.items() if any(h.startswith("200") for h in how)),
    )
    wrong = []
    screens: list[ScreenRow] = []
    for game in games:
        wrong += [f"game {game.id}: {why}" for why in await _history(store, game)]
        screens += await store.screens(game.id)
    verdict.count(TWICE, wrong)
    there = {
        chat: {m["id"]: m for m in await telegram.messages(chat) if m["from"]["is_bot"]}
        for chat in {s.chat_id for s in screens}
    }
    _screens(verdict, screens, there, wire)
    _doubles(verdict, screens, there, wire, killed)
    verdict.count(COMPLAINTS, complaints)
    return verdict


async def _history(store: Store, game: GameRow) -> list[str]:
    """What is wrong with the answers of a game: dealt again from its seed, they must lead to where it stands."""
    answers = await store.answers(game.id)
    if game.turn_start is None:
        return ["answers before its beginning"] if answers else []
    if [answer.version for answer in answers] != list(range(1, game.version + 1)):
        return ["answers are missing or there are too many"]
    seats = [row.seat for row in game.roster]
    seed = core.thaw(game.turn_start).seed
    live = core.Live(core.deal(seats, core.read_options(game.options, len(seats)), seed))
    for answer in answers:
        try:
            live.answer(answer.seat, answer.choice)
        except core.NotLegal:
            return [f"answer {answer.version} was not asked for"]
    if core.digest(live.table) != game.digest:
        return ["its answers lead elsewhere"]
    return []


def _screens(verdict: Verdict, screens: list[ScreenRow], there: dict[int, dict[int, Data]], wire: Wire) -> None:
    never, different, given_up, disorder = [], [], [], []
    last: dict[int, tuple[int, int]] = {}
    for screen in screens:
        name = (
            f"{screen.kind} of game {screen.game_id} for {screen.receiver} ({screen.result}, refused {screen.refused})"
        )
        message = there[screen.chat_id].get(screen.message_id or 0)
        if screen.refused == "perhaps sent":
            given_up.append(name)
        elif screen.gone:
            if message is not None:
                different.append(f"{name}: still there")
        elif screen.message_id is None:
            never.append(name)
        elif message is None:
            different.append(f"{name}: message {screen.message_id} is not there")
        elif said := _difference(screen, message):
            different.append(f"{name}: {said}")
        if screen.kind.startswith("turn ") and screen.message_id is not None:
            turn = int(screen.kind[5:])
            before = last.get(screen.chat_id, (0, 0))
            if turn > before[0] and screen.message_id < before[1]:
                disorder.append(f"{name} stands before turn {before[0]}")
            last[screen.chat_id] = max(before, (turn, screen.message_id))
    verdict.count(NEVER, never)
    verdict.count(DIFFERENT, different)
    verdict.count(DISORDER, [*disorder, *(["boards went back in time"] * wire.back)])
    verdict.count(GIVEN_UP, given_up)


def _difference(screen: ScreenRow, message: Data) -> str:
    text, _ = formatted(screen.wanted.text, "HTML")
    if text != message["text"]:
        return "another text"
    wanted = [(one.text, one.data or one.url) for row in screen.wanted.rows for one in row]
    if wanted != [(one["text"], one.get("data") or one.get("url")) for one in buttons(message)]:
        return "other buttons"
    if screen.wanted.pin != message["pinned"]:
        return "not pinned" if screen.wanted.pin else "pinned"
    return ""


def _doubles(
    verdict: Verdict,
    screens: list[ScreenRow],
    there: dict[int, dict[int, Data]],
    wire: Wire,
    killed: list[tuple[int, int]],
) -> None:
    """Messages that no screen knows: each was sent by somebody who did not learn of it."""
    known = {(screen.chat_id, screen.message_id) for screen in screens}
    cases: dict[str, list[str]] = {DOUBLED: [], DOUBLED_LOST: [], DOUBLED_KILLED: []}
    given_up = Counter(screen.chat_id for screen in screens if screen.refused == "perhaps sent")
    for chat, messages in there.items():
        for number, message in messages.items():
            if (chat, number) in known or (chat, number) not in wire.sent:
                continue
            at, fault = wire.sent[chat, number]
            if given_up[chat] and not buttons(message):
                given_up[chat] -= 1  # a line that was sent once, and is not sent again
                continue
            nearest = min((abs(at - before) for before, _ in killed), default=0)
            case = f"message {number} in {chat} (call {at}, {nearest} from a kill): {message['text'][:60]!r}"
            if fault:
                cases[DOUBLED_LOST].append(case)
            elif any(before - 200 <= at <= after + 20 for before, after in killed):
                cases[DOUBLED_KILLED].append(case)
            else:
                cases[DOUBLED].append(case)
    for what, found in cases.items():
        verdict.count(what, found)
