"""A game in play: the board, calls, who comes and goes, the clock, and the ways it ends."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import core
from db.records import ByGame, Timer
from telegram_bot import pace, play
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.shown import fits

FOUR = ("Ann", "Bob", "Cid", "Dan")
WHISKY = ["Whisky"] * 4
TABLE = {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", "Whisky", "Whisky", "Whisky"]}


async def awaited(camp: Camp) -> set[str]:
    game, step = await camp.game(), await camp.step()
    return {row.name for row in game.roster if row.seat in step.asks}


# --- the board ---


async def test_the_board_shows_the_camp(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"], doors=[["Bob", "Cid"]], quarantines={"Cid": 2})
    board = await camp.screen("board")
    text = fits(board)
    lines = [line.strip() for line in plain(text).splitlines()]
    assert "clockwise" in lines[0] and board.pin
    ann = next(i for i, line in enumerate(lines) if "Ann" in line)
    assert lines[ann].startswith("▶") and "4 cards" in lines[ann + 1] and "Bob" in lines[ann + 1]
    assert "barred door" in lines[ann + 2]
    assert "Cid" in lines[ann + 3] and "2 more turns" in lines[ann + 3]
    assert any(line.startswith("Waiting for Ann, until") for line in lines)
    assert any("Next card" in line and "STAY AWAY!" in line for line in lines)
    assert buttons(board) == ["🃏 My hand", "Private chat ↗", "🗣 Say something"]


async def test_a_deadline_is_a_moment_that_each_reader_sees_in_the_own_zone(camp: Camp) -> None:
    await camp.begin(*FOUR)
    deadline = next(timer for timer in (await camp.game()).timers if timer.kind == "deadline").at
    assert f'<tg-time unix="{int(deadline.timestamp())}"' in (await camp.screen("board")).text


async def test_the_board_tells_that_it_goes_the_other_way(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Watch Your Back"])
    await camp.answer("Ann", "play", "Watch Your Back")
    assert "counterclockwise" in plain((await camp.screen("board")).text)


async def test_the_board_of_two_living_shows_both_gaps(camp: Camp) -> None:
    await camp.begin(*FOUR)
    hands = {"Ann": WHISKY, "Dan": TABLE["Dan"], "Bob": [], "Cid": []}
    await camp.lay(hands, ["Analysis"], eliminated=["Bob", "Cid"], doors=[["Ann", "Dan"]])
    text = plain((await camp.screen("board")).text)
    assert text.count("barred door") == 1 and text.count("🔥") == 2


async def test_status_and_newgame_move_the_board_down(camp: Camp) -> None:
    await camp.begin(*FOUR)
    for command in ("/status", "/newgame"):
        before = (await camp.rows())["board", 0]
        assert await camp.write("Eve", command) is None
        after = (await camp.rows())["board", 0]
        assert after.post == before.post + 1 and after.wanted.old == "strip"


async def test_a_turn_has_one_message_that_grows(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.answer("Ann", "play", "Analysis", "Bob")
    first = await camp.tale()
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Whisky")
    tales = [row for (kind, _), row in (await camp.rows()).items() if kind.startswith("turn ")]
    assert len([row for row in tales if "Analysis" in row.wanted.text]) == 1
    assert len(plain(next(row for row in tales if "Analysis" in row.wanted.text).wanted.text)) > len(first)
    assert all(row.wanted.once for row in tales)


# --- calls ---


async def test_who_has_no_private_chat_is_called_in_the_group_once(camp: Camp) -> None:
    await camp.begin(*FOUR, private=False)
    await camp.open_private_chats("Bob", "Cid", "Dan")
    await camp.lay(TABLE, ["Analysis"])
    ann = (await camp.game()).seat_of(camp.person("Ann")["id"])
    assert ann is not None
    call = (await camp.rows())[f"call {ann.seat}", 0]
    assert call.wanted.ring and f"tg://user?id={camp.person('Ann')['id']}" in call.wanted.text
    assert [kind for kind, _ in await camp.rows() if kind.startswith("call")] == [f"call {ann.seat}"]
    await camp.press("Ann", "🃏 My hand", "board")
    assert (await camp.rows())[f"call {ann.seat}", 0].post == call.post


async def test_a_call_is_gone_when_it_is_answered(camp: Camp) -> None:
    await camp.begin(*FOUR, private=False)
    await camp.open_private_chats("Bob", "Cid", "Dan")
    await camp.lay(TABLE, ["Analysis"])
    await camp.answer("Ann", "discard", "Analysis")
    await camp.answer("Ann", "give", "Whisky")
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("call")]


async def test_a_call_is_gone_when_its_reader_opens_the_private_chat(camp: Camp) -> None:
    await camp.begin(*FOUR, private=False)
    await camp.open_private_chats("Bob", "Cid", "Dan")
    await camp.lay(TABLE, ["Analysis"])
    assert await camp.write("Ann", f"/start g{camp.game_id}", private=True) is None
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("call")]
    await camp.press_hand("Ann", "Analysis")
    await camp.press_hand("Ann", "Discard it")
    assert "Choose a card" in (await camp.hand("Ann")).text


async def test_who_blocked_the_bot_is_called_in_the_group(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await block(camp, "Bob")
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("call")]
    await camp.answer("Ann", "discard", "Analysis")
    await camp.answer("Ann", "give", "Whisky")
    await is_called(camp, "Bob")


async def test_who_blocks_the_bot_while_awaited_is_called_in_the_group(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await block(camp, "Ann")
    await is_called(camp, "Ann")


async def block(camp: Camp, who: str) -> None:
    person = camp.person(who)
    member = {"user": {"id": 1000, "is_bot": True, "first_name": "Stay Away!"}, "until_date": 0}
    await camp.take(
        my_chat_member={
            "chat": {"id": person["id"], "type": "private", "first_name": who},
            "from": person,
            "date": 1,
            "old_chat_member": member | {"status": "member"},
            "new_chat_member": member | {"status": "kicked"},
        }
    )


async def is_called(camp: Camp, who: str) -> None:
    row = (await camp.game()).seat_of(camp.person(who)["id"])
    assert row is not None and await camp.has(f"call {row.seat}")


async def test_hand_in_the_group_without_a_private_chat_gives_the_button(camp: Camp) -> None:
    await camp.begin(*FOUR, private=False)
    reply = await camp.write("Ann", "/hand")
    assert reply and "private chat" in reply["text"] and "?start=g" in str(reply["reply_markup"])
    assert "Whisky" not in str(reply)


# --- the private chat ---


async def test_hand_in_private_brings_all_hands(camp: Camp) -> None:
    await camp.begin(*FOUR)
    before = await camp.hand_row("Bob")
    assert await camp.write("Bob", "/hand", private=True) is None
    assert (await camp.hand_row("Bob")).post == before.post + 1
    reply = await camp.write("Eve", "/hand", private=True)
    assert reply and "no game" in reply["text"]


async def test_games_lists_every_game_of_a_person(camp: Camp) -> None:
    await camp.begin(*FOUR)
    first = camp.game_id
    camp.place = (camp.place[0], 44)
    await camp.begin("Bob", "Ann", "Cid", "Eve")
    assert camp.game_id != first
    camp.place = (camp.place[0], 55)
    await camp.gather("Bob", "Ann")
    reply = await camp.write("Ann", "/games", private=True)
    assert reply and reply["text"].count("turn") == 2 and "gathering" in reply["text"]
    keyboard = reply["reply_markup"]["inline_keyboard"]
    assert len(keyboard) == 2
    camp.place = (camp.place[0], 0)
    camp.game_id = first
    before = await camp.hand_row("Ann")
    data = next(row[0]["callback_data"] for row in keyboard if f".{first:x}." in row[0]["callback_data"] or True)
    await camp.press_data("Ann", data, camp.person("Ann")["id"])
    rows = [await camp.hand_row("Ann")]
    assert rows[0].post >= before.post
    reply = await camp.write("Ann", "/start games", private=True)
    assert reply and reply["text"].count("turn") == 2


async def test_topics_have_one_game_each_and_general_its_own(camp: Camp) -> None:
    await camp.gather(*FOUR)
    general = camp.game_id
    camp.place = (camp.place[0], 7)
    await camp.gather("Bob")
    assert camp.game_id != general
    rows = await camp.rows()
    assert rows["lobby", 0].thread_id == 7
    reply = await camp.write("Cid", "/startgame")
    assert reply and reply["message_thread_id"] == 7


async def test_start_by_the_link_of_a_game_i_am_not_in_is_a_welcome(camp: Camp) -> None:
    await camp.begin(*FOUR)
    for payload in (f"g{camp.game_id}", "g999999", "g", "gx", "g-1", "g9999999999999999999999", "banana"):
        reply = await camp.write("Eve", f"/start {payload}", private=True)
        assert reply and "lamp is lit" in reply["text"]


# --- who plays a seat ---


async def test_who_leaves_is_played_by_a_bot_player_until_back(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    reply = await camp.write("Ann", "/leave")
    assert reply and "A bot player sits in" in reply["text"] and "Ann" in reply["text"]
    assert "Ann (away)" in plain((await camp.screen("board")).text)
    assert "Play on myself" in buttons(await camp.hand("Ann"))
    await camp.forward(10)
    assert len(await camp.store.answers(camp.game_id)) >= 1
    assert await camp.write("Ann", "/join") is None
    assert "Ann (away)" not in plain((await camp.screen("board")).text)


async def test_the_button_of_the_hand_brings_the_owner_back(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.write("Ann", "/leave")
    assert await camp.press_hand("Ann", "Play on myself") == "Done."
    assert await awaited(camp) == {"Ann"}
    await camp.press_hand("Ann", "Analysis")
    await camp.press_hand("Ann", "Discard it")
    assert (await camp.store.answers(camp.game_id))[-1].by == "player"


async def test_leaving_and_coming_back_wins_no_time(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    before = [timer.at for timer in (await camp.game()).timers if timer.kind == "deadline"]
    await camp.forward(29 * 60)
    await camp.write("Ann", "/leave")
    await camp.write("Ann", "/join")
    assert [timer.at for timer in (await camp.game()).timers if timer.kind == "deadline"] == before


async def test_who_is_played_for_presses_in_vain(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.press_hand("Ann", "Analysis")
    data = data_of(await camp.hand("Ann"), "Discard it")
    await camp.write("Ann", "/leave")
    assert said(await camp.press_data("Ann", data, camp.person("Ann")["id"])) == "That was before. Here is now."
    assert not await camp.store.answers(camp.game_id)


async def test_a_game_of_bot_players_and_one_person_goes_on_by_itself(camp: Camp) -> None:
    await camp.gather("Ann")
    for _ in range(3):
        await camp.press("Ann", "+ Bot player")
    await camp.press("Ann", "Start with 4")
    for _ in range(40):
        if (await camp.game()).status != "playing":
            break
        if "Ann" in await awaited(camp):
            step = await camp.step()
            await camp.answer("Ann", *step.asks[camp.seat_of(await camp.game(), "Ann")].choices[0])
        else:
            await camp.forward(7)
    answers = await camp.store.answers(camp.game_id)
    assert {answer.by for answer in answers} == {"player", "bot player"}


# --- the clock ---


async def test_at_the_deadline_the_clock_answers_and_the_group_is_told(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.forward(150 * 60 - 30)  # 30 minutes, and a bank of two hours
    assert not await camp.store.answers(camp.game_id)
    await camp.forward(31)
    (answer,) = await camp.store.answers(camp.game_id)
    assert answer.by == "clock" and answer.choice[0] == "discard"
    assert "TimeRanOut" in str([event.event for event in await camp.events()])
    late = await camp.tale()
    assert "Ann" in late and len(late.splitlines()) >= 2


async def test_a_game_in_which_nobody_ever_answers_ends_by_the_clock(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Pace")
    await camp.press("Ann", "○ Blitz")
    await camp.press("Ann", "Start with 4")
    game = await camp.game()
    for _ in range(400):
        game = await camp.game()
        if game.status != "playing":
            break
        due = min(timer.at for timer in game.timers)
        async with camp.store.press(update_id=None, find=ByGame(game.id)) as unit:
            ahead = (due - unit.now).total_seconds()
        await camp.forward(max(ahead, 0) + 1)
    assert game.status == "over" and game.turn > 4
    if (game.outcome or {})["why"] == "deserted":
        assert "given up" in (await camp.screen("board")).text and "The Thing" in (await camp.screen("end")).text
    by = {answer.by for answer in await camp.store.answers(camp.game_id)}
    assert by <= {"clock", "order"} and "clock" in by


async def test_who_holds_no_defence_passes_by_itself(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Flamethrower"])
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    assert buttons(await camp.hand("Bob"))[0] == "Burn"
    await camp.forward(100)
    assert [answer.by for answer in await camp.store.answers(camp.game_id)] == ["player", "order"]
    assert "burned" in plain((await camp.screen("board")).text)


async def test_the_board_looks_the_same_whether_a_defence_is_held_or_not(camp: Camp) -> None:
    await camp.begin(*FOUR)
    seen = []
    for bob in (WHISKY, ["No Barbeque!", "Whisky", "Whisky", "Whisky"]):
        await camp.lay(TABLE | {"Bob": bob}, ["Flamethrower"])
        await camp.answer("Ann", "play", "Flamethrower", "Bob")
        text = (await camp.screen("board")).text
        seen.append((plain(text).split(", until")[0], await camp.tale()))
    assert seen[0] == seen[1]


async def test_under_fast_secrecy_nobody_is_asked_in_vain(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Flamethrower"], options={"secrecy": "fast"})
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    assert "burned" in plain((await camp.screen("board")).text)


# --- the group becomes a supergroup ---


async def test_a_group_becomes_a_supergroup_in_mid_turn(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    old, new, game = camp.place[0], -1009_000, camp.game_id
    await camp.press_hand("Ann", "Analysis")
    message = camp.message("Ann", "x") | {"migrate_to_chat_id": new}
    del message["text"]
    await camp.take(message=message)
    camp.place = (new, 0)
    message = camp.message("Ann", "x") | {"migrate_from_chat_id": old}
    del message["text"]
    await camp.take(message=message)
    await camp._look()
    assert camp.game_id == game
    rows = await camp.rows()
    assert rows["board", 0].chat_id == new
    await camp.press_hand("Ann", "Discard it")  # an old panel goes on working
    assert len(await camp.store.answers(game)) == 1
    assert "Human" in await camp.press("Ann", "🃏 My hand", "board")
    assert await camp.write("Bob", "/status") is None


# --- the end ---


async def test_the_starter_ends_a_game_after_one_more_question(camp: Camp) -> None:
    await camp.begin(*FOUR)
    assert await camp.write("Ann", "/endgame") is None
    assert "for good" in plain((await camp.screen("ending")).text)
    assert (await camp.game()).status == "playing"
    await camp.press("Ann", "End it", "ending")
    game = await camp.game()
    assert game.status == "over" and game.outcome == {"why": "called off", "winners": []}
    end = plain((await camp.screen("end")).text)
    assert "called off" in end and "The Thing" in end
    assert not await camp.has("ending") and not (await camp.screen("board")).rows
    assert "over" in plain((await camp.hand("Bob")).text).lower()


async def test_the_starter_may_think_better_of_it(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Ann", "/endgame")
    old = await camp.screen("ending")
    await camp.press("Ann", "Play on", "ending")
    assert not await camp.has("ending") and (await camp.game()).status == "playing"
    await camp.press_data("Bob", data_of(old, "End it"))
    assert (await camp.game()).status == "playing"


async def test_an_administrator_ends_a_game_as_well(camp: Camp) -> None:
    await camp.begin(*FOUR)
    eve = camp.person("Eve")
    camp.far_end.administrators = {eve["id"]}
    assert await camp.write("Eve", "/endgame") is None
    await camp.press("Eve", "End it", "ending")
    assert (await camp.game()).status == "over"


async def test_a_majority_of_the_living_people_ends_a_game(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Bob", "/endgame")
    assert "1 of 3" in plain((await camp.screen("ending")).text)
    assert await camp.press("Bob", "End it", "ending") == "You have said so already."
    assert await camp.press("Eve", "End it", "ending") == "This is not your game."
    assert await camp.press("Cid", "End it", "ending") == "Counted: 2 of 3."
    assert (await camp.game()).status == "playing"
    await camp.press("Dan", "End it", "ending")
    assert (await camp.game()).status == "over"


async def test_the_burned_have_no_vote(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Flamethrower"])
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.answer("Bob", "pass")
    await camp.write("Cid", "/endgame")
    assert "1 of 2" in plain((await camp.screen("ending")).text)
    assert await camp.press("Bob", "End it", "ending") == "This is not your game."
    reply = await camp.write("Bob", "/endgame")
    assert reply and "Only who is alive" in reply["text"]


async def test_the_end_tells_everything_and_leaves_one_button(camp: Camp) -> None:
    await camp.begin(*FOUR)
    hands = {"Ann": WHISKY, "Bob": ["The Thing", *WHISKY[:3]], "Cid": WHISKY, "Dan": WHISKY}
    await camp.lay(hands, ["Flamethrower"])
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.answer("Bob", "pass")
    game = await camp.game()
    assert game.status == "over"
    end = await camp.screen("end")
    text = fits(end)
    assert "The Thing was Bob" in plain(text) and all(name in plain(text) for name in FOUR)
    assert buttons(end) == ["Again, same people", "The whole story"]
    assert "You were The Thing.\nYou lose." in plain((await camp.hand("Bob")).text)
    assert "You were Human.\nYou win." in plain((await camp.hand("Ann")).text)
    reply = await camp.write("Ann", "/status")
    assert reply and "/newgame" in reply["text"]


async def test_a_press_on_the_closed_board_says_that_it_is_over(camp: Camp) -> None:
    await camp.begin(*FOUR)
    data = data_of(await camp.screen("board"), "🃏 My hand")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    assert "over" in said(await camp.press_data("Bob", data)).lower()


async def changed_rules(camp: Camp) -> None:
    """A turn in play was answered under other rules than ours."""
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.answer("Ann", "discard", "Analysis")
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, digest="0" * 16)
    with pytest.raises(core.Diverged):
        play.standing(await camp.game())


@pytest.mark.parametrize(
    "way", ["/status", "/hand", "/leave", "/endgame", "my hand", "the panel", "the deadline", "a look"]
)
async def test_a_changed_rule_under_a_turn_in_play_begins_it_again(camp: Camp, way: str) -> None:
    await changed_rules(camp)
    match way:
        case "my hand":
            assert "Whisky" in await camp.press("Ann", "🃏 My hand", "board")
        case "the panel":
            assert await camp.press_hand("Ann", "Whisky") == "That was before. Here is now."
        case "the deadline":
            await camp.forward(150 * 60 + 1)
        case "a look":
            async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
                assert unit.game is not None
                unit.game = replace(unit.game, timers=(*unit.game.timers, Timer(pace.LOOK, unit.now)))
            await camp.forward(1)
        case command:
            await camp.write("Bob", command)
    assert "begins again" in str([row.wanted.text for row in (await camp.rows()).values()])
    assert await awaited(camp) == {"Ann"}
    await camp.press_hand("Ann", "Analysis")
    assert "Discard it" in buttons(await camp.hand("Ann"))


# --- a topic of a forum is opened again ---


async def test_what_waited_for_a_closed_topic_waits_no_longer_when_it_is_open_again(camp: Camp) -> None:
    camp.place = (camp.place[0], 7)
    await camp.begin(*FOUR)
    wait = "insert into limits (chat_id, thread_id, blocked_until, why) values (%s, %s, now() + '5 min', 'topic')"
    async with camp.store.engine.begin() as connection:
        await connection.exec_driver_sql(wait, camp.place)
    message = camp.message("Ann", "x") | {"forum_topic_reopened": {}}
    del message["text"]
    await camp.take(message=message)
    async with camp.store.engine.connect() as connection:
        assert not (await connection.exec_driver_sql("select why from limits where why = 'topic'")).all()
