"""Every answer of Telegram that is no "ok", and what becomes of the screen then (field/telegram.md 4.4)."""

import pytest

from db.records import ByGame, ByPlace, Chat, Person, Wanted
from tests.sender.conftest import Camp


async def test_an_edit_that_changes_nothing_is_success(camp: Camp) -> None:
    await camp.show("board", "the camp")
    await camp.sent()
    camp.fault("reset_after", "editMessageText")
    await camp.show("board", "turn 2")
    await camp.sent()
    await camp.later(5)
    assert [call["ok"] for call in camp.calls("editMessageText")] == [True, False]
    assert (await camp.screen("board")).result == "edit done"
    assert await camp.store.pending() == 0


async def test_an_edit_that_was_perhaps_made_is_taken_back_when_it_is_not_wanted_any_more(camp: Camp) -> None:
    await camp.show("board", "the camp")
    await camp.sent()
    camp.fault("reset_after", "editMessageText")
    await camp.show("board", "the camp, on fire")
    await camp.sent()
    assert camp.seen() == ["the camp, on fire"]  # though nobody told us
    await camp.show("board", "the camp")
    await camp.later(5)
    assert camp.seen() == ["the camp"]


async def test_a_board_that_somebody_deleted_is_posted_anew_and_pinned_again(camp: Camp) -> None:
    camp.world.set_member(camp.group, camp.telegram.bot.id, "administrator", camp.ann.id)
    await camp.show("board", "turn 1", pin=True)
    await camp.sent()
    camp.world.remove(next(m for m in camp.group.live() if m.text == "turn 1"))
    await camp.show("board", "turn 2", pin=True)
    await camp.sent()
    await camp.later(5)
    assert camp.seen() == ["turn 2"]
    assert camp.group.pinned == [next(m.id for m in camp.group.live() if m.text == "turn 2")]


async def test_one_flooded_chat_does_not_hold_up_another(camp: Camp) -> None:
    camp.start(camp.ann)
    camp.fault("429", chat=camp.group.id, seconds=30)
    await camp.show("board", "the camp")
    await camp.show("hand", "your hand", receiver=camp.ann.id)
    wait = await camp.sent()
    assert camp.seen() == [] and camp.seen(camp.private(camp.ann)) == ["your hand"]
    assert 29 < wait < 31


async def test_retry_after_is_obeyed_to_the_second(camp: Camp) -> None:
    camp.fault("429", seconds=30)
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.later(29)
    assert camp.said() == ["sendMessage the camp"]
    await camp.later(1.2)
    assert camp.said() == ["sendMessage the camp"] * 2
    assert camp.seen() == ["the camp"]


async def test_retry_after_outlives_the_sender_that_met_it(camp: Camp) -> None:
    camp.fault("429", seconds=30)
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.stop()
    await camp.later(20)
    assert camp.said() == ["sendMessage the camp"]
    await camp.later(11)
    assert camp.seen() == ["the camp"]


async def test_a_text_that_is_refused_for_its_form_does_not_block_the_chat(camp: Camp) -> None:
    await camp.show("board", "<b>Ann & the Thing")
    await camp.show("turn 1", "x" * 5000)
    await camp.show("turn 2", "Ann reads the runes.")
    await camp.sent()
    assert camp.seen() == ["Ann reads the runes."]
    assert await camp.store.pending() == 0
    assert (await camp.screen("board")).refused == "Can't parse entities"
    assert (await camp.screen("turn 1")).refused == "Message is too long"
    await camp.show("board", "<b>Ann</b>")
    await camp.later(5)
    assert camp.seen() == ["Ann reads the runes.", "Ann"]


async def test_what_a_refusal_quotes_is_not_kept(camp: Camp) -> None:
    camp.fault("400", text='something odd "Infected!" in the text')
    await camp.show("board", "Infected!")
    await camp.sent()
    assert "Infected" not in str((await camp.screen("board")).refused)


@pytest.mark.parametrize(
    ("words", "private"),
    [
        ("bot was blocked by the user", "blocked"),
        ("bot can't initiate conversation with a user", "closed"),
        ("user is deactivated", "gone"),
        ("the bot can't send messages to the bot", "gone"),
    ],
)
async def test_a_private_chat_that_is_closed_is_not_knocked_at_again(camp: Camp, words: str, private: str) -> None:
    camp.fault("403", chat=camp.ann.id, text=words)
    await camp.show("hand", "your hand", receiver=camp.ann.id, ring=True)
    await camp.sent()
    await camp.show("hand", "your next hand", receiver=camp.ann.id)
    await camp.sent()
    assert camp.said() == ["sendMessage your hand"]
    assert await camp.store.pending() == 0
    person = await camp.store.person(camp.ann.id)
    assert person is not None and person.private == private


async def test_the_clock_looks_at_a_game_whose_player_cannot_be_reached(camp: Camp) -> None:
    await camp.show("hand", "your hand", receiver=camp.ann.id, ring=True)
    await camp.sent()
    async with camp.store.claim_due() as unit:
        assert unit is not None and unit.game is not None and unit.game.id == camp.game_id
        assert [timer.kind for timer in unit.game.timers] == ["look"]
        assert unit.people[camp.ann.id].private == "closed"


async def test_when_the_road_opens_everything_is_wanted_again(camp: Camp) -> None:
    other = await camp.open_game(camp.world.add_group("Other", people=[camp.ann], bots=[camp.telegram.bot]))
    await camp.show("hand", "here", receiver=camp.ann.id)
    await camp.show("hand", "there", receiver=camp.ann.id, game=other)
    await camp.sent()
    camp.start(camp.ann)
    async with camp.store.press(update_id=5, person=Person(camp.ann.id, "Ann", private="open")):
        pass
    await camp.later(5)
    assert camp.seen(camp.private(camp.ann)) == ["here", "there"]


async def test_who_comes_by_the_board_gets_the_newest_hand_only(camp: Camp) -> None:
    await camp.show("hand", "old", receiver=camp.ann.id)
    await camp.sent()
    await camp.show("hand", "newer", receiver=camp.ann.id)
    camp.start(camp.ann)
    person = Person(camp.ann.id, "Ann", private="open")
    async with camp.store.press(update_id=5, find=ByGame(camp.game_id), person=person) as unit:
        unit.show("hand", Wanted(text="newest"), receiver=camp.ann.id)
    await camp.later(5)
    assert camp.seen(camp.private(camp.ann)) == ["newest"]


async def test_a_screen_written_while_the_road_opened_is_found_later(camp: Camp) -> None:
    await camp.show("hand", "your hand", receiver=camp.ann.id)
    await camp.sent()
    camp.start(camp.ann)
    async with camp.store._transaction() as connection:
        # As by a press that did not see the screen.
        await connection.exec_driver_sql("update people set private = 'open'")
    sender, _ = camp.senders[0]
    sender._tidied = -1e9
    await camp.sent()
    await camp.sent()
    assert camp.seen(camp.private(camp.ann)) == ["your hand"]


async def test_a_bot_that_was_removed_from_the_group_waits_quietly_and_goes_on_when_it_is_back(camp: Camp) -> None:
    await camp.show("board", "turn 1")
    await camp.sent()
    camp.world.set_member(camp.group, camp.telegram.bot.id, "kicked", camp.ann.id)
    for turn in range(2, 8):
        await camp.show("board", f"turn {turn}")
        await camp.show(f"turn {turn}", f"In turn {turn}")
        await camp.later(10)
    assert len(camp.said()) == 2
    chat = await camp.store.chat(camp.group.id)
    assert chat is not None and chat.road == "left" and chat.left_at is not None
    camp.world.set_member(camp.group, camp.telegram.bot.id, "member", camp.ann.id)
    async with camp.store.press(update_id=None, chat=Chat(camp.group.id, road="open")):
        pass
    await camp.later(30)
    await camp.later(30)
    assert camp.seen() == ["turn 7", *(f"In turn {turn}" for turn in range(2, 8))]
    chat = await camp.store.chat(camp.group.id)
    assert chat is not None and chat.road == "open" and chat.left_at is None


async def test_a_group_that_lets_nobody_write_is_tried_again_now_and_then(camp: Camp) -> None:
    camp.group.permissions["can_send_messages"] = False
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.later(599)
    assert len(camp.said()) == 1
    camp.group.permissions["can_send_messages"] = True
    await camp.later(2)
    assert camp.seen() == ["the camp"]
    chat = await camp.store.chat(camp.group.id)
    assert chat is not None and chat.road == "open"


async def test_a_group_that_became_a_supergroup_takes_everything_along(camp: Camp) -> None:
    await camp.show("board", "turn 1")
    await camp.show("turn 1", "told", once=True)
    await camp.sent()
    new = camp.world.upgrade(camp.group)
    await camp.show("board", "turn 2")
    await camp.sent()
    await camp.later(5)
    assert camp.seen(new) == ["turn 2"]
    async with camp.store.press(update_id=None, find=ByPlace(new.id)) as unit:
        assert unit.game is not None and unit.game.id == camp.game_id
    old = await camp.store.chat(camp.group.id)
    assert old is not None and old.migrated_to == new.id


async def test_a_tale_that_goes_on_in_the_supergroup_is_told_there(camp: Camp) -> None:
    await camp.show("turn 1", "Ann draws.", once=True)
    await camp.sent()
    new = camp.world.upgrade(camp.group)
    await camp.store.migrate(camp.group.id, new.id)
    await camp.show("turn 1", "Ann draws, and burns Bob.", once=True)
    await camp.sent()
    assert camp.seen(new) == ["Ann draws, and burns Bob."]


async def test_a_deleted_topic_sends_the_game_to_general(camp: Camp) -> None:
    forum = camp.world.add_group("Forum", people=[camp.ann], bots=[camp.telegram.bot], forum=True)
    topic = camp.world.add_topic(forum, "Games", camp.ann.id)
    game = await camp.open_game(forum, topic.id)
    await camp.show("board", "turn 1", game=game)
    await camp.sent()
    camp.world.change_topic(forum, topic, "delete", camp.ann.id)
    await camp.show("turn 2", "Bob draws.", game=game)
    await camp.sent()
    await camp.later(5)
    assert set(camp.seen(forum)) == {"turn 1", "Bob draws."}
    async with camp.store.press(update_id=None, find=ByPlace(forum.id)) as unit:
        assert unit.game is not None and unit.game.id == game


async def test_a_closed_topic_waits_and_the_others_do_not(camp: Camp) -> None:
    forum = camp.world.add_group("Forum", people=[camp.ann], bots=[camp.telegram.bot], forum=True)
    topic = camp.world.add_topic(forum, "Games", camp.ann.id)
    closed, general = await camp.open_game(forum, topic.id), await camp.open_game(forum)
    camp.world.change_topic(forum, topic, "close", camp.ann.id)
    await camp.show("board", "closed in", game=closed)
    await camp.show("board", "free", game=general)
    await camp.sent()
    await camp.later(10)
    assert camp.seen(forum) == ["free"] and len(camp.said()) == 2
    camp.world.change_topic(forum, topic, "reopen", camp.ann.id)
    await camp.store.topic_open(forum.id, topic.id)
    await camp.sent()
    assert camp.seen(forum) == ["free", "closed in"]


@pytest.mark.parametrize("kind", ["reset_after", "502", "500"])
async def test_a_tale_whose_answer_was_lost_is_not_told_twice(camp: Camp, kind: str) -> None:
    camp.fault(kind, "sendMessage")
    await camp.show("turn 1", "Ann draws.", once=True)
    await camp.show("turn 2", "Bob draws.", once=True)
    await camp.sent()
    await camp.later(60)
    await camp.show("turn 1", "Ann draws, and reads.", once=True)
    await camp.later(60)
    assert camp.said() == ["sendMessage Ann draws.", "sendMessage Bob draws."]
    assert (await camp.screen("turn 1")).refused == "perhaps sent"


async def test_a_board_whose_answer_was_lost_is_sent_again(camp: Camp) -> None:
    camp.fault("reset_after", "sendMessage")
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.later(2)
    assert camp.seen() == ["the camp", "the camp"]
    assert await camp.store.pending() == 0


async def test_an_edit_whose_answer_was_lost_is_made_again(camp: Camp) -> None:
    await camp.show("board", "turn 1")
    await camp.sent()
    camp.fault("reset_before", "editMessageText")
    await camp.show("board", "turn 2")
    await camp.sent()
    await camp.later(2)
    assert camp.seen() == ["turn 2"]


async def test_when_telegram_cannot_be_reached_nothing_was_sent_and_all_is_tried_again(camp: Camp) -> None:
    await camp.show("turn 1", "Ann draws.", once=True)
    port = camp.telegram.port
    await camp.telegram.stop()
    await camp.sent()
    assert (await camp.screen("turn 1")).result == "post not sent NotSent"
    camp.telegram.port = port
    camp.telegram.stopping = False
    await camp.telegram.start()
    await camp.later(20)
    assert camp.seen() == ["Ann draws."]
    assert (await camp.screen("turn 1")).refused is None


async def test_a_screen_that_fails_again_and_again_lets_the_others_of_its_chat_go_first(camp: Camp) -> None:
    await camp.show("board", "turn 1")
    await camp.sent()
    camp.fault("500", "editMessageText", times=0)
    await camp.show("board", "turn 2")
    await camp.show("turn 2", "Bob draws.")
    for _ in range(6):
        await camp.later(16)
    assert camp.seen() == ["turn 1", "Bob draws."]
    camp.telegram.faults.rules.clear()
    await camp.later(60)
    assert camp.seen() == ["turn 2", "Bob draws."]


async def test_a_copy_that_is_too_old_to_be_deleted_loses_its_buttons(camp: Camp) -> None:
    await camp.show("call", "Bob!")
    await camp.sent()
    camp.fault("400", "deleteMessage", text="message can't be deleted")
    await camp.take_away("call")
    await camp.later(5)
    methods = [call["method"] for call in camp.calls(chat=camp.group.id)]
    assert methods[-2:] == ["deleteMessage", "editMessageReplyMarkup"]
    assert await camp.store.pending() == 0


async def test_a_wrong_token_is_no_reason_to_give_a_screen_up(camp: Camp) -> None:
    camp.fault("401", "sendMessage")
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.later(1)
    assert camp.seen() == ["the camp"]
