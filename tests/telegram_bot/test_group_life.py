"""What becomes of a group under a game: people who come and go, other rights, a supergroup, topics, strange senders."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from db.records import ByGame, ByPlace, Chat
from db.screens import Block
from telegram_bot import pace, play
from telegram_bot.flood import sender_of
from telegram_bot.memo import memo_of
from tests.telegram_bot.camp import BOT, Camp, Data, data_of, plain, said

FOUR = ("Ann", "Bob", "Cid", "Dan")
WHISKY = ["Whisky"] * 4
TABLE = {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", "Whisky", "Whisky", "Whisky"]}
HOUR = 3600
THEN = 1_790_000_000
SUPERGROUP = -1009_000
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


async def at_the_table(camp: Camp) -> None:
    """Ann is on turn, and holds nothing but Whisky."""
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])


def service(camp: Camp, by: str, date: int = THEN, **what: Any) -> Data:
    message = camp.message(by, "") | {"date": date} | what
    del message["text"]
    return message


async def moves(camp: Camp, name: str, status: str, date: int = THEN, **more: Any) -> None:
    """The bot is an administrator, and hears of a member's move."""
    member = {"user": camp.person(name), "status": status} | more
    old = {"user": camp.person(name), "status": "member"}
    chat = {"id": camp.place[0], "type": "supergroup", "title": "The camp"}
    changed = {"chat": chat, "from": camp.person("Ann"), "date": date, "old_chat_member": old}
    await camp.take(chat_member=changed | {"new_chat_member": member})


async def bot_is(camp: Camp, status: str, date: int = THEN, chat: int = 0, **more: Any) -> None:
    """The bot is added, removed, or given other rights."""
    changed = {
        "chat": {"id": chat or camp.place[0], "type": "supergroup", "title": "The camp"},
        "from": camp.person("Ann"),
        "date": date,
        "old_chat_member": {"user": BOT, "status": "member"},
        "new_chat_member": {"user": BOT, "status": status} | more,
    }
    await camp.take(my_chat_member=changed)


async def gone(camp: Camp) -> list[str]:
    return [row.name for row in (await camp.game()).roster if row.gone]


async def told_gone(camp: Camp) -> list[str]:
    return [plain(row.wanted.text) for (kind, _), row in (await camp.rows()).items() if kind.startswith("gone ")]


# --- people who leave and come back ---

BANNED: Data = {"status": "kicked", "until_date": 0}
OUT: tuple[Data, ...] = (
    {"status": "left"},
    BANNED,
    {"status": "restricted", "is_member": False, "until_date": 0} | dict.fromkeys(
        "can_send_messages can_send_audios can_send_documents can_send_photos can_send_videos can_send_video_notes"
        " can_send_voice_notes can_send_polls can_send_other_messages can_add_web_page_previews can_change_info"
        " can_invite_users can_pin_messages can_manage_topics can_react_to_messages can_edit_tag".split(),
        False,
    ),
)


@pytest.mark.parametrize("how", OUT, ids=["leaves", "is banned", "leaves while restricted"])
async def test_for_a_player_who_left_the_group_the_clock_answers_at_once_until_the_return(
    camp: Camp, how: Data
) -> None:
    await at_the_table(camp)
    await moves(camp, "Ann", **how)
    assert await gone(camp) == ["Ann"] and len(await told_gone(camp)) == 1
    await camp.forward(1)
    answers = await camp.store.answers(camp.game_id)
    assert answers and {answer.by for answer in answers} == {"clock"}
    await moves(camp, "Ann", "member", THEN + 60)
    assert not await gone(camp) and "back" in (await told_gone(camp))[0]


async def test_where_the_bot_is_no_administrator_a_service_message_tells_of_it(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.take(message=service(camp, "Ann", left_chat_member=camp.person("Ann")))
    assert await gone(camp) == ["Ann"]
    await camp.forward(1)
    assert {answer.by for answer in await camp.store.answers(camp.game_id)} == {"clock"}
    await camp.take(message=service(camp, "Ann", THEN + 60, new_chat_members=[camp.person("Ann")]))
    assert not await gone(camp)


async def test_an_administrator_bot_hears_of_it_twice_and_tells_it_once(camp: Camp) -> None:
    await at_the_table(camp)
    await moves(camp, "Bob", "left")
    before = await camp.everything()
    await camp.take(message=service(camp, "Bob", left_chat_member=camp.person("Bob")))
    assert await camp.everything() == before


async def test_a_move_that_is_heard_of_late_is_over(camp: Camp) -> None:
    """Members are moved by several administrators, and Telegram keeps the order of each of them alone."""
    await at_the_table(camp)
    await moves(camp, "Bob", "member", THEN + 60)
    await moves(camp, "Bob", "kicked", THEN, until_date=0)
    assert not await gone(camp)
    await moves(camp, "Bob", "left", THEN + 90)
    await moves(camp, "Bob", "member", THEN + 80)
    assert await gone(camp) == ["Bob"]


async def test_a_move_that_is_delivered_again_after_the_next_changes_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    update = {"update_id": 700_000, "message": service(camp, "Bob", left_chat_member=camp.person("Bob"))}
    await camp.door(update)
    await camp.take(message=service(camp, "Bob", new_chat_members=[camp.person("Bob")]))
    await camp.door(update)
    assert not await gone(camp)


async def test_who_left_a_lobby_is_not_dealt_in(camp: Camp) -> None:
    await camp.gather(*FOUR, "Eve")
    await moves(camp, "Eve", "left")
    assert [row.name for row in (await camp.game()).roster] == [*FOUR]


async def test_a_member_who_left_plays_on_in_another_group(camp: Camp) -> None:
    await at_the_table(camp)
    here = camp.place
    camp.place = (SUPERGROUP, 0)
    await camp.begin(*FOUR)
    await moves(camp, "Bob", "left")
    assert await gone(camp) == ["Bob"]
    camp.place = here
    await camp._look()
    assert not await gone(camp)


# --- the bot itself ---


async def test_a_game_stands_still_while_nobody_may_write_and_goes_on_when_a_word_gets_through(camp: Camp) -> None:
    await at_the_table(camp)
    deadline = await deadlines(camp)
    async with camp.desk() as desk:  # what the sender meets
        await desk.chat_road(camp.place[0], "muted")
        await desk.stand_still(camp.place[0])
        await camp.forward(10 * HOUR)
        game = await camp.game()
        assert game.status == "paused" and not await camp.store.answers(camp.game_id)
        await desk.chat_back(camp.place[0])
        await desk.go_on(camp.place[0])
        await camp.clock.tick()
    assert (await camp.game()).status == "playing"
    (moved,) = [after - before for before, after in zip(deadline, await deadlines(camp), strict=True)]
    assert 10 * HOUR - 5 < moved < 10 * HOUR + 60


async def deadlines(camp: Camp) -> list[float]:
    return [timer.at.timestamp() for timer in (await camp.game()).timers if timer.kind == pace.DEADLINE]


async def test_a_pause_of_the_group_is_not_undone_by_a_word_that_gets_through(camp: Camp) -> None:
    await at_the_table(camp)
    camp.far_end.administrators.add(camp.person("Ann")["id"])
    await camp.write("Ann", "/pause")
    async with camp.desk() as desk:
        await desk.stand_still(camp.place[0])
        await desk.go_on(camp.place[0])
    await camp.forward(10)
    game = await camp.game()
    assert game.status == "paused" and memo_of(game).why == "group"


async def test_the_removal_of_the_bot_delivered_again_after_its_return_changes_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    changed = {
        "chat": {"id": camp.place[0], "type": "supergroup", "title": "The camp"},
        "from": camp.person("Ann"),
        "date": THEN,
        "old_chat_member": {"user": BOT, "status": "member"},
        "new_chat_member": {"user": BOT, "status": "left"},
    }
    await camp.door({"update_id": 700_000, "my_chat_member": changed})
    assert (await camp.game()).status == "paused"
    await bot_is(camp, "member")
    assert (await camp.game()).status == "playing"
    await camp.door({"update_id": 700_000, "my_chat_member": changed})
    assert (await camp.game()).status == "playing"
    chat = await camp.store.chat(camp.place[0])
    assert chat is not None and chat.road == "open"


# --- the group becomes a supergroup ---


async def becomes(camp: Camp, new: int, *signs: str) -> None:
    """The group of the camp is the supergroup *new*; in the order of *signs* it is told by the old chat, or the new."""
    old = camp.place[0]
    for sign in signs:
        if sign == "to":
            camp.place = (old, 0)
            await camp.take(message=service(camp, "Ann", migrate_to_chat_id=new))
        elif sign == "from":
            camp.place = (new, 0)
            await camp.take(message=service(camp, "Ann", migrate_from_chat_id=old))
        else:
            await camp.store.migrate(old, new)  # as the sender does that meets it
    camp.place = (new, 0)
    await camp._look()


@pytest.mark.parametrize("signs", ["to from", "from to", "to to from from", "sent from to"])
async def test_both_signs_of_a_supergroup_in_any_order_and_twice_move_the_game_once(
    camp: Camp, signs: str
) -> None:
    await at_the_table(camp)
    game = camp.game_id
    await camp.press_hand("Ann", "Analysis")
    await becomes(camp, SUPERGROUP, *signs.split())
    assert camp.game_id == game
    rows = await camp.rows()
    assert {row.chat_id for (_, receiver), row in rows.items() if not receiver} == {SUPERGROUP}
    assert rows["board", 0].message_id is None and rows["board", 0].wanting
    await camp.press_hand("Ann", "Discard it")
    assert len(await camp.store.answers(game)) == 1


async def test_an_old_button_works_in_the_supergroup_and_from_the_group_it_was(camp: Camp) -> None:
    await at_the_table(camp)
    old, board = camp.place[0], await camp.screen("board")
    await becomes(camp, SUPERGROUP, "to", "from")
    for chat in (SUPERGROUP, old):
        assert "Human" in said(await camp.press_data("Ann", data_of(board, "🃏 My hand"), chat))
    assert said(await camp.press_data("Ann", data_of(board, "🃏 My hand"), -100_777)) == ""


async def test_a_lobby_becomes_one_of_the_supergroup_and_its_old_buttons_work(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", "Cid")
    old, lobby = camp.place[0], await camp.screen("lobby")
    await becomes(camp, SUPERGROUP, "to", "from")
    await camp.press_data("Dan", data_of(lobby, "Join / leave"), old)
    await camp.press("Ann", "Start with 4")
    assert (await camp.game()).status == "playing" and len((await camp.game()).roster) == 4
    assert said(await camp.press_data("Ann", data_of(await camp.screen("board"), "🃏 My hand"), old))


async def test_a_command_written_before_and_delivered_after_finds_the_game(camp: Camp) -> None:
    await at_the_table(camp)
    old, game = camp.place[0], camp.game_id
    await becomes(camp, SUPERGROUP, "from")
    camp.place = (old, 0)
    await camp.write("Ann", "/newgame")
    camp.far_end.administrators.add(camp.person("Ann")["id"])
    await camp.write("Ann", "/pause")
    camp.place = (SUPERGROUP, 0)
    await camp._look()
    assert camp.game_id == game and (await camp.game()).status == "paused"


async def test_a_game_that_waited_for_the_bot_goes_on_in_the_supergroup(camp: Camp) -> None:
    """The bot is told that it is out of the old chat, and in the new one, before it hears that they are one."""
    await at_the_table(camp)
    await bot_is(camp, "left")
    await bot_is(camp, "member", chat=SUPERGROUP)
    assert (await camp.game()).status == "paused"
    await becomes(camp, SUPERGROUP, "from", "to")
    await camp.forward(1)
    assert (await camp.game()).status == "playing"


async def test_a_game_that_the_group_paused_stays_paused_in_the_supergroup(camp: Camp) -> None:
    await at_the_table(camp)
    camp.far_end.administrators.add(camp.person("Ann")["id"])
    await camp.write("Ann", "/pause")
    await becomes(camp, SUPERGROUP, "to", "from")
    await camp.forward(1)
    assert (await camp.game()).status == "paused"
    await camp.write("Ann", "/resume")
    assert (await camp.game()).status == "playing"


async def test_settings_and_callers_move_with_their_group(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    async with camp.store.press(update_id=None) as unit:
        unit.keeps(Chat(camp.place[0], settings={"pace": "slow"}))
    await becomes(camp, SUPERGROUP, "to", "from")
    await camp.write("Ann", "/newgame")
    assert (await camp.game()).pace == "slow"
    assert any("Eve" in plain(row.wanted.text) for (kind, _), row in (await camp.rows()).items() if "nextgame" in kind)


async def test_a_lobby_that_was_opened_there_too_gives_way_and_looks_open_no_more(camp: Camp) -> None:
    await at_the_table(camp)
    game, old = camp.game_id, camp.place[0]
    camp.place = (SUPERGROUP, 0)
    await camp.write("Eve", "/newgame")
    lobby = camp.game_id
    camp.place = (old, 0)
    await becomes(camp, SUPERGROUP, "to", "from")
    async with camp.store.press(update_id=None, find=ByPlace(SUPERGROUP)) as unit:
        assert unit.game is not None and unit.game.id == game
    camp.game_id = lobby
    assert (await camp.game()).status == "called_off" and not await camp.has("lobby")


# --- topics ---


async def test_a_topic_that_was_closed_and_is_open_again_goes_on_at_once(camp: Camp) -> None:
    camp.place = (camp.place[0], 77)
    await at_the_table(camp)
    async with camp.desk() as desk:
        await desk.stand_still(camp.place[0], 77)
        await desk.write((), (), (closed(camp.place[0], 77),))
        await camp.forward(1)
        assert (await camp.game()).status == "paused"
        await camp.take(message=service(camp, "Ann", forum_topic_reopened={}))
        now, wanting = await desk.wanting((), (), 50)
        assert any(screen.thread_id == 77 for screen in wanting)


async def test_general_closed_and_open_again_is_topic_one(camp: Camp) -> None:
    await at_the_table(camp)
    async with camp.desk() as desk:
        await desk.write((), (), (closed(camp.place[0], 1),))
        assert not [screen for screen in (await desk.wanting((), (), 50))[1] if not screen.receiver]
        await camp.take(message=service(camp, "Ann", forum_topic_reopened={}))
        assert [screen for screen in (await desk.wanting((), (), 50))[1] if not screen.receiver]


def closed(chat: int, thread: int) -> Block:
    return Block(chat, 300, "topic", thread)


async def test_a_closed_topic_stops_its_own_game_alone(camp: Camp) -> None:
    await at_the_table(camp)
    general = camp.game_id
    camp.place = (camp.place[0], 77)
    await camp.begin(*FOUR)
    async with camp.desk() as desk:
        await desk.stand_still(camp.place[0], 77)
    await camp.forward(1)
    assert (await camp.game()).status == "paused"
    camp.game_id = general
    assert (await camp.game()).status == "playing"


# --- strange senders ---


async def test_who_presses_as_a_group_or_a_channel_gets_no_seat(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", "Cid")
    channel = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
    for nobody in (ANONYMOUS, channel):
        toast = said(await camp.press_data(nobody, data_of(await camp.screen("lobby"), "Join / leave")))
        assert "Press as yourself" in toast
    assert len((await camp.game()).roster) == 3


def test_anonymous_administrators_of_two_groups_are_two_in_a_flood() -> None:
    def written(chat: int) -> Data:
        return {"message": {"from": ANONYMOUS, "sender_chat": {"id": chat}, "chat": {"id": chat}}}

    assert sender_of(written(-1)) != sender_of(written(-2))
    assert sender_of({"message": {"from": {"id": 7}}}) == 7


async def test_who_is_no_administrator_any_more_ends_no_game(camp: Camp) -> None:
    await at_the_table(camp)
    eve = camp.person("Eve")["id"]
    camp.far_end.administrators.add(eve)
    await camp.write("Eve", "/endgame")
    ending = data_of(await camp.screen("ending"), "End it")
    camp.far_end.administrators.clear()
    await camp.press_data("Eve", ending)
    assert (await camp.game()).status == "playing"


# --- a changed rule under several games ---


async def test_hands_of_several_games_come_though_the_rules_changed_under_all_of_them(
    camp: Camp, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = []
    for topic in (0, 5, 6):
        camp.place = (camp.place[0], topic)
        await camp.begin(*FOUR)
        await camp.answer((await awaited(camp))[0], *(await first_choice(camp)))
        games.append(camp.game_id)
        async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, digest="of other rules")
    posts = {game: await post_of(camp, game) for game in games}
    await camp.write("Ann", "/hand", private=True)
    for game in games:
        assert await post_of(camp, game) > posts[game]
        camp.game_id = game
        assert play.standing(await camp.game()).asks


async def awaited(camp: Camp) -> list[str]:
    game, step = await camp.game(), await camp.step()
    return [row.name for row in game.roster if row.seat in step.asks]


async def first_choice(camp: Camp) -> tuple[str, ...]:
    step = await camp.step()
    return next(iter(step.asks.values())).choices[0]


async def post_of(camp: Camp, game: int) -> int:
    camp.game_id = game
    return (await camp.hand_row("Ann")).post


# --- messages that Telegram has forgotten ---


async def test_a_press_under_a_message_that_is_too_old_counts_and_one_under_none_is_closed(camp: Camp) -> None:
    await at_the_table(camp)
    ann = camp.person("Ann")["id"]
    data = data_of(await camp.hand("Ann"), "Whisky")
    too_old = {"chat": {"id": ann, "type": "private", "first_name": "Ann"}, "message_id": 5, "date": 0}
    await camp.press_data("Ann", data, ann, message=too_old)
    assert "Discard it" in [one.text for row in (await camp.hand("Ann")).rows for one in row]
    query = {"id": "9", "from": camp.person("Ann"), "chat_instance": "1", "inline_message_id": "5", "data": data}
    assert said(await camp.take(callback_query=query)) == ""
